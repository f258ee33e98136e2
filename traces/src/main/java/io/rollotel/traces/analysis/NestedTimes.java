package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much longer than its peers each process took in the spans below the calls of fan-outs, by the
 * name of the calls and then by that of the spans.
 *
 * <p>In a collective, such as an all-reduce, processes wait for the slowest of them. So their calls
 * all take the same time, and only the spans below show which of them is slow.
 */
final class NestedTimes implements Serializable {

  /** A span that takes less than this share of the longest call does not matter. */
  private static final double LEAST_SHARE = 0.01;

  /** A part of a difference that is smaller than this is not the reason. */
  private static final double LEAST_PART = 0.5;

  /**
   * If the ends of spans are this much nearer to each other than their starts, the processes waited
   * for each other in them.
   */
  private static final double NEARER = 0.1;

  /** The spans of one name below the calls of one name. */
  static final class Nested implements Serializable {
    private final Map<Integer, PeerTimes.Sum> byProcess = new TreeMap<>();
    private int fanOuts;
    private int endedTogether;
    private long waitedNanos;

    private void add(Nested part, Spans spans, RowCopies copies, int mostExact) {
      fanOuts += part.fanOuts;
      endedTogether += part.endedTogether;
      waitedNanos += part.waitedNanos;
      part.byProcess.forEach((process, sum) -> sum(spans, process).add(sum, copies, mostExact));
    }

    private PeerTimes.Sum sum(Spans spans, int process) {
      return byProcess.computeIfAbsent(process, none -> new PeerTimes.Sum(spans));
    }

    Map<Integer, PeerTimes.Sum> byProcess() {
      return byProcess;
    }

    /** Whether processes usually waited for each other in these spans. */
    boolean isWait() {
      return 2 * endedTogether > fanOuts;
    }

    /** How much longer the others were in them than the process that was in them the shortest. */
    long waitedNanos() {
      return waitedNanos;
    }
  }

  private final Spans spans;
  private final Map<Integer, Map<Integer, Nested>> byName = new TreeMap<>();

  /** None yet. */
  NestedTimes(Spans spans) {
    this.spans = spans;
  }

  /** Measures fan-outs. */
  NestedTimes(Spans spans, SpanTree tree, SpanTree waits, List<int[]> fanOuts) {
    this(spans);
    NestedWork work = new NestedWork(spans, tree, waits);
    for (int[] fanOut : fanOuts) {
      work.of(fanOut);
      add(work, spans.name(fanOut[0]), longest(fanOut), spans.weight(fanOut[0]));
    }
  }

  private long longest(int[] fanOut) {
    return Arrays.stream(fanOut).mapToLong(spans::nanos).max().orElse(0);
  }

  private void add(NestedWork work, int call, long longestNanos, double weight) {
    int[] places = new int[work.processCount()];
    for (int name = 0; name < work.nameCount(); name++) {
      int count = 0;
      long most = 0;
      for (int i = 0; i < places.length; i++) {
        if (work.has(name, i)) {
          places[count++] = i;
          most = Math.max(most, work.perCall(name, i));
        }
      }
      if (count > 1 && most > LEAST_SHARE * longestNanos) {
        Nested nested =
            byName
                .computeIfAbsent(call, none -> new HashMap<>())
                .computeIfAbsent(work.name(name), none -> new Nested());
        add(nested, work, name, Arrays.copyOf(places, count), weight);
      }
    }
  }

  private void add(Nested nested, NestedWork work, int name, int[] places, double weight) {
    long[] sorted = new long[places.length];
    long firstStart = Long.MAX_VALUE;
    long lastStart = Long.MIN_VALUE;
    long firstEnd = Long.MAX_VALUE;
    long lastEnd = Long.MIN_VALUE;
    for (int i = 0; i < places.length; i++) {
      sorted[i] = work.perCall(name, places[i]);
      int last = work.last(name, places[i]);
      firstStart = Math.min(firstStart, spans.start(last));
      lastStart = Math.max(lastStart, spans.start(last));
      firstEnd = Math.min(firstEnd, spans.end(last));
      lastEnd = Math.max(lastEnd, spans.end(last));
    }
    Arrays.sort(sorted);
    PeerTimes.Peers peers = PeerTimes.Peers.of(sorted);
    nested.fanOuts++;
    nested.endedTogether += lastEnd - firstEnd < NEARER * (lastStart - firstStart) ? 1 : 0;
    nested.waitedNanos += NameTotals.times(weight, sorted[sorted.length - 1] - sorted[0]);
    for (int place : places) {
      long nanos = work.perCall(name, place);
      long median = LowerMedian.without(nanos, sorted);
      nested
          .sum(spans, work.process(place))
          .add(
              PeerTimes.ratio(nanos, median),
              weight,
              (nanos - median) * work.calls(place),
              work.longest(name, place),
              SlowSince.NOT_KEPT,
              peers);
    }
  }

  /** Which spans below the calls of a process that exceed its peers' by so much show it. */
  Finding.Below part(int call, int process, long excessNanos) {
    Finding.Below most = Finding.Below.NOTHING;
    for (Map.Entry<Integer, Nested> one : byName.getOrDefault(call, Map.of()).entrySet()) {
      PeerTimes.Sum sum = one.getValue().byProcess.get(process);
      double share = sum == null ? 0 : (double) sum.excessNanos() / Math.max(1, excessNanos);
      if (share >= LEAST_PART && share > most.share() && one.getKey() != call) {
        most = Finding.Below.mostIn(one.getKey(), share);
      }
    }
    return most;
  }

  /** Adds those of a part of the run's traces. */
  void add(NestedTimes part, RowCopies copies, int mostExact) {
    part.byName.forEach(
        (call, ofPart) -> {
          Map<Integer, Nested> all = byName.computeIfAbsent(call, none -> new HashMap<>());
          ofPart.forEach(
              (name, nested) ->
                  all.computeIfAbsent(name, none -> new Nested())
                      .add(nested, spans, copies, mostExact));
        });
  }

  /** By the name of the calls, then by that of the spans below. */
  Map<Integer, Map<Integer, Nested>> byName() {
    return byName;
  }
}
