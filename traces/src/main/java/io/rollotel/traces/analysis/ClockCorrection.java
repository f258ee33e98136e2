package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Measures how far the clocks of each run's hosts are apart, and puts the times of all its spans on
 * one clock. It measures the times as they were recorded.
 */
public final class ClockCorrection {

  private final Spans spans;

  /** The host's number, by process. */
  private final int[] host;

  private final List<String> hosts;

  /** The row above each; empty where there is one host. */
  private final int[] above;

  private final Map<Integer, Clocks> byRun = new HashMap<>();

  private ClockCorrection(Spans spans) {
    this.spans = spans;
    List<TracedProcess> processes = spans.processes();
    this.hosts = processes.stream().map(TracedProcess::host).distinct().sorted().toList();
    this.host = processes.stream().mapToInt(process -> hosts.indexOf(process.host())).toArray();
    this.above = hosts.size() < 2 ? new int[0] : SpanTree.rowsAbove(spans);
  }

  /**
   * Measures the clocks of all runs.
   *
   * @param isCorrected whether to change the times as well; once, since the next time there would
   *     be nothing to find
   */
  public static ClockCorrection of(Spans spans, boolean isCorrected) {
    ClockCorrection correction = new ClockCorrection(spans);
    correction
        .measured()
        .forEach(
            (run, pairs) -> correction.byRun.put(run, correction.clocks(run, pairs, isCorrected)));
    correction.correct();
    return correction;
  }

  /** What is known of the clocks of a run's hosts. */
  public Clocks ofRun(int run) {
    return byRun.getOrDefault(run, Clocks.UNKNOWN);
  }

  /** For each run its pairs of hosts. */
  private Map<Integer, List<ClockSkew.Hosts>> measured() {
    Map<Integer, Map<Long, ClockSkew>> found = new HashMap<>();
    for (int span = 0; span < above.length; span++) {
      int parent = above[span];
      if (parent < 0 || spans.isVirtual(span)) {
        continue;
      }
      if (host(parent) != host(span)
          && !spans.isVirtual(parent)
          && spans.isTimed(parent)
          && spans.isTimed(span)) {
        skew(found, parent, span).call(parent, span, isTurned(parent, span));
      }
      if (spans.queueNanos(span) != Spans.NO_QUEUE) {
        int sender = sender(span);
        if (sender >= 0 && !spans.isVirtual(sender) && host(sender) != host(span)) {
          skew(found, sender, span).begun(spans.queueNanos(span), isTurned(sender, span));
        }
      }
    }
    Map<Integer, List<ClockSkew.Hosts>> pairs = new HashMap<>();
    found.forEach(
        (run, skews) ->
            pairs.put(
                run,
                skews.values().stream()
                    .map(ClockSkew::hosts)
                    .sorted(
                        Comparator.comparing(ClockSkew.Hosts::first)
                            .thenComparing(ClockSkew.Hosts::second))
                    .toList()));
    return pairs;
  }

  private ClockSkew skew(Map<Integer, Map<Long, ClockSkew>> found, int from, int to) {
    int first = Math.min(host(from), host(to));
    int second = Math.max(host(from), host(to));
    return found
        .computeIfAbsent(spans.run(to), run -> new HashMap<>())
        .computeIfAbsent(
            (long) first << Integer.SIZE | second,
            both -> new ClockSkew(spans, hosts.get(first), hosts.get(second)));
  }

  private int host(int span) {
    return host[spans.process(span)];
  }

  private boolean isTurned(int from, int to) {
    return host(from) > host(to);
  }

  /**
   * Who sent a call and so began its wait: the span above it. If that is the receiver's own span of
   * the call, which began later, it is the one above that.
   */
  private int sender(int span) {
    int at = above[span];
    if (at < 0 || spans.process(at) != spans.process(span)) {
      return at;
    }
    long queueNanos = spans.queueNanos(span);
    boolean isReceiver = spans.kind(at) == Span.SERVER || spans.kind(at) == Span.CONSUMER;
    boolean isSentWithin = queueNanos >= 0 && spans.start(span) - queueNanos >= spans.start(at);
    return isReceiver && !isSentWithin ? above[at] : at;
  }

  private Clocks clocks(int run, List<ClockSkew.Hosts> pairs, boolean isCorrected) {
    if (pairs.stream().noneMatch(hosts -> hosts.isSkewed() || hosts.isContradictory())) {
      return new Clocks(pairs, Map.of(), Set.of());
    }
    long[] weights = new long[hosts.size()];
    for (int span = 0; span < above.length; span++) {
      if (spans.run(span) == run && !spans.isVirtual(span)) {
        // A root counts more than any number of other spans.
        weights[host(span)] += above[span] == SpanTree.NONE ? 1L << Integer.SIZE : 1;
      }
    }
    HostGraph graph = new HostGraph(pairs, isCorrected);
    List<String> references =
        IntStream.range(0, weights.length)
            .filter(at -> weights[at] > 0)
            .boxed()
            .sorted(Comparator.comparingLong((Integer at) -> -weights[at]))
            .map(hosts::get)
            .toList();
    references.forEach(graph::walkFrom); // the others as well: they are a group of their own
    return Clocks.of(pairs, graph.shifts(), references.get(0));
  }

  private void correct() {
    if (byRun.values().stream().allMatch(clocks -> clocks.corrected().isEmpty())) {
      return;
    }
    Map<Integer, long[]> shifts = new HashMap<>();
    byRun.forEach(
        (run, clocks) -> shifts.put(run, hosts.stream().mapToLong(clocks::shiftNanos).toArray()));
    long[] none = new long[hosts.size()];
    // Waits first: who sent a call is read from times as they were recorded.
    for (int span = 0; span < above.length; span++) {
      long[] ofRun = shifts.getOrDefault(spans.run(span), none);
      int sender = spans.queueNanos(span) == Spans.NO_QUEUE ? -1 : sender(span);
      if (sender >= 0 && !isLost(sender)) {
        spans.shortenQueue(span, ofRun[host(span)] - ofRun[host(sender)]);
      }
    }
    for (int span = 0; span < above.length; span++) {
      spans.setBack(span, shifts.getOrDefault(spans.run(span), none)[host(span)]);
    }
  }

  /** Whether it stands for a span of which nobody knows where it ran. */
  private boolean isLost(int span) {
    return spans.isVirtual(span) && !spans.isTimed(span);
  }
}
