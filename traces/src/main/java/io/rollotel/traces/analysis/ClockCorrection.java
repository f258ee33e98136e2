package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Measures how far the clocks of each run's hosts are apart, and puts the times of all its spans on
 * one clock. It measures the times as they were recorded.
 *
 * <p>The traces may come in parts: the first pass gathers the facts from starts, the second those
 * from ends, the third corrects times.
 */
public final class ClockCorrection implements Serializable {

  /** The weight of a root among other spans. */
  private static final long ROOT = 1L << Integer.SIZE;

  private final boolean isCorrected;

  /** The host's number, by process. */
  private final int[] host;

  private final List<String> hosts;

  /** By run, then by the numbers of both hosts. */
  private final Map<Integer, Map<Long, ClockSkew>> skews = new HashMap<>();

  /**
   * By run, then by host, one number: of the host's spans. A root counts more than any number of
   * others. Sparse, since hundreds of runs may each have hosts of their own.
   */
  private final Map<Integer, Map<Integer, long[]>> weights = new HashMap<>();

  private final Map<Integer, Clocks> byRun = new HashMap<>();

  /**
   * Of no spans yet.
   *
   * @param numbers spans that have the numbers of all processes
   * @param isCorrected whether times may be changed
   */
  ClockCorrection(Spans numbers, boolean isCorrected) {
    this.isCorrected = isCorrected;
    List<TracedProcess> processes = numbers.processes();
    this.hosts = processes.stream().map(TracedProcess::host).distinct().sorted().toList();
    this.host = processes.stream().mapToInt(process -> number(process.host())).toArray();
  }

  /**
   * Measures the clocks of all runs.
   *
   * @param isCorrected whether to change the times as well; only once, since a second call would
   *     find no difference
   */
  public static ClockCorrection of(Spans spans, boolean isCorrected) {
    ClockCorrection correction = new ClockCorrection(spans, isCorrected);
    if (!correction.isOneHost()) {
      int[] above = SpanTree.rowsAbove(spans);
      correction.seeStarts(spans, above);
      correction.seeEnds(spans, above);
      correction.conclude();
      correction.correct(spans, above);
    }
    return correction;
  }

  private int number(String ofHost) {
    return Collections.binarySearch(hosts, ofHost);
  }

  /** Whether there is nothing to measure. */
  boolean isOneHost() {
    return hosts.size() < 2;
  }

  /** The known facts about the clocks of a run's hosts. */
  public Clocks ofRun(int run) {
    return byRun.getOrDefault(run, Clocks.UNKNOWN);
  }

  // ---- first: facts from starts

  /**
   * Looks at the starts of some traces.
   *
   * @param above the row above each
   */
  void seeStarts(Spans spans, int[] above) {
    for (int span = 0; span < above.length; span++) {
      int parent = above[span];
      if (spans.isVirtual(span)) {
        continue;
      }
      add(spans.run(span), host(spans, span), parent == SpanTree.NONE ? ROOT : 1);
      if (parent < 0) {
        continue;
      }
      if (isBetweenHosts(spans, parent, span)) {
        skew(spans, parent, span).called(spans, parent, span, isTurned(spans, parent, span));
      }
      if (spans.queueNanos(span) != Spans.NO_QUEUE) {
        int sender = sender(spans, above, span);
        if (sender >= 0 && !spans.isVirtual(sender) && host(spans, sender) != host(spans, span)) {
          skew(spans, sender, span).begun(spans.queueNanos(span), isTurned(spans, sender, span));
        }
      }
    }
  }

  private void add(int run, int ofHost, long weight) {
    weights.computeIfAbsent(run, none -> new HashMap<>())
            .computeIfAbsent(ofHost, none -> new long[1])[0] +=
        weight;
  }

  /** Adds the facts from the starts of other traces. */
  void addStarts(ClockCorrection part) {
    part.weights.forEach(
        (run, those) -> those.forEach((ofHost, weight) -> add(run, ofHost, weight[0])));
    part.skews.forEach(
        (run, those) ->
            those.forEach(
                (both, skew) ->
                    skews
                        .computeIfAbsent(run, none -> new HashMap<>())
                        .computeIfAbsent(both, this::skewOf)
                        .addStarts(skew)));
  }

  private boolean isBetweenHosts(Spans spans, int parent, int span) {
    return host(spans, parent) != host(spans, span)
        && !spans.isVirtual(parent)
        && spans.isTimed(parent)
        && spans.isTimed(span);
  }

  private ClockSkew skew(Spans spans, int from, int to) {
    int first = Math.min(host(spans, from), host(spans, to));
    int second = Math.max(host(spans, from), host(spans, to));
    return skews
        .computeIfAbsent(spans.run(to), run -> new HashMap<>())
        .computeIfAbsent((long) first << Integer.SIZE | second, this::skewOf);
  }

  private ClockSkew skewOf(long both) {
    return new ClockSkew(hosts.get((int) (both >>> Integer.SIZE)), hosts.get((int) both));
  }

  private int host(Spans spans, int span) {
    return host[spans.process(span)];
  }

  private boolean isTurned(Spans spans, int from, int to) {
    return host(spans, from) > host(spans, to);
  }

  /**
   * The span that sent a call, and so began its wait: its parent, as recorded. If the parent is the
   * receiver's own span of the call, which began later, it is the grandparent.
   */
  private static int sender(Spans spans, int[] above, int span) {
    int at = above[spans.around().outermost(span)];
    if (at < 0 || spans.process(at) != spans.process(span)) {
      return at;
    }
    long queueNanos = spans.queueNanos(span);
    boolean isReceiver = spans.kind(at) == Span.SERVER || spans.kind(at) == Span.CONSUMER;
    boolean isSentWithin = queueNanos >= 0 && spans.start(span) - queueNanos >= spans.start(at);
    return isReceiver && !isSentWithin ? above[at] : at;
  }

  // ---- second: facts from ends

  /** The same hosts, with the facts from all starts and without ends: for some of the traces. */
  ClockCorrection withStarts(Spans numbers) {
    ClockCorrection part = new ClockCorrection(numbers, isCorrected);
    part.addStarts(this);
    return part;
  }

  /** Looks at the ends of some traces, once the facts from all starts are known. */
  void seeEnds(Spans spans, int[] above) {
    for (int span = 0; span < above.length; span++) {
      int parent = above[span];
      if (parent >= 0 && !spans.isVirtual(span) && isBetweenHosts(spans, parent, span)) {
        skew(spans, parent, span).ended(spans, parent, span, isTurned(spans, parent, span));
      }
    }
  }

  /** Adds the facts from the ends of other traces. */
  void addEnds(ClockCorrection part) {
    part.skews.forEach(
        (run, those) ->
            those.forEach(
                (both, skew) ->
                    skews
                        .computeIfAbsent(run, none -> new HashMap<>())
                        .computeIfAbsent(both, this::skewOf)
                        .addEnds(skew)));
  }

  // ---- third

  /** Finds the clocks of all runs. */
  void conclude() {
    skews.forEach(
        (run, found) -> {
          List<ClockSkew.Hosts> pairs =
              found.values().stream()
                  .map(ClockSkew::hosts)
                  .sorted(
                      Comparator.comparing(ClockSkew.Hosts::first)
                          .thenComparing(ClockSkew.Hosts::second))
                  .toList();
          byRun.put(run, clocks(run, pairs));
        });
  }

  private Clocks clocks(int run, List<ClockSkew.Hosts> pairs) {
    if (pairs.stream().noneMatch(ClockSkew.Hosts::isDoubtful)) {
      return new Clocks(pairs, Map.of(), Set.of());
    }
    Map<Integer, long[]> ofRun = weights.getOrDefault(run, Map.of());
    HostGraph graph = new HostGraph(pairs, isCorrected);
    List<String> references =
        ofRun.entrySet().stream()
            .sorted(
                Comparator.comparingLong((Map.Entry<Integer, long[]> one) -> -one.getValue()[0])
                    .thenComparing(Map.Entry::getKey))
            .map(one -> hosts.get(one.getKey()))
            .toList();
    references.forEach(graph::walkFrom); // the others as well: they are a separate group
    return Clocks.of(pairs, graph.shifts(), references.get(0));
  }

  /** Corrects the times of some traces. Any thread. */
  void correct(Spans spans, int[] above) {
    if (byRun.values().stream().allMatch(clocks -> clocks.corrected().isEmpty())) {
      return;
    }
    Map<Integer, Map<Integer, Long>> shifts = new HashMap<>();
    byRun.forEach(
        (run, clocks) ->
            shifts.put(
                run,
                clocks.corrected().stream()
                    .collect(Collectors.toMap(one -> number(one.host()), Clocks.Shift::nanos))));
    // Waits first, because senders are determined from times as recorded.
    for (int span = 0; span < above.length; span++) {
      Map<Integer, Long> ofRun = shifts.getOrDefault(spans.run(span), Map.of());
      int sender = spans.queueNanos(span) == Spans.NO_QUEUE ? -1 : sender(spans, above, span);
      if (sender >= 0 && !isLost(spans, sender)) {
        spans.shortenQueue(
            span,
            ofRun.getOrDefault(host(spans, span), 0L)
                - ofRun.getOrDefault(host(spans, sender), 0L));
      }
    }
    for (int span = 0; span < above.length; span++) {
      Map<Integer, Long> ofRun = shifts.getOrDefault(spans.run(span), Map.of());
      spans.setBack(span, ofRun.getOrDefault(host(spans, span), 0L));
    }
  }

  /** Whether it stands for a span whose host is unknown. */
  private static boolean isLost(Spans spans, int span) {
    return spans.isVirtual(span) && !spans.isTimed(span);
  }
}
