package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sums of a run's spans, each looked at alone: how many, from when to when, and by name. */
final class SpanTotals implements Serializable {

  private long count;
  private long startEpochNanos = Long.MAX_VALUE;
  private long endEpochNanos;
  private final Map<Integer, NameTotals> names = new HashMap<>();

  /** The names of spans on hosts with doubtful clocks, or called from there. */
  private final BitSet doubtfulNames = new BitSet();

  /** None yet. */
  SpanTotals() {}

  SpanTotals(Spans spans, RunTraces in, Clocks clocks) {
    for (int span : in.members) {
      see(spans, in, clocks, span);
    }
  }

  private void see(Spans spans, RunTraces in, Clocks clocks, int span) {
    count++;
    if (spans.isTimed(span)) {
      startEpochNanos = Math.min(startEpochNanos, spans.start(span));
      endEpochNanos = Math.max(endEpochNanos, spans.end(span));
    }
    if (!clocks.doubtful().isEmpty() && isDoubtful(spans, in, clocks, span)) {
      doubtfulNames.set(spans.name(span));
    }
    if (!in.pairs.isDispatch(span)) {
      names
          .computeIfAbsent(spans.name(span), name -> new NameTotals(spans.names().text(name)))
          .add(
              spans.weight(span), spans.nanos(span), in.waits.selfNanos(span), spans.isError(span));
    }
  }

  private static boolean isDoubtful(Spans spans, RunTraces in, Clocks clocks, int span) {
    int parent = in.tree.parent(span);
    return isOnDoubtfulHost(spans, clocks, span)
        || (parent >= 0 && isOnDoubtfulHost(spans, clocks, parent));
  }

  private static boolean isOnDoubtfulHost(Spans spans, Clocks clocks, int span) {
    return clocks.doubtful().contains(spans.processOf(span).host());
  }

  /**
   * Adds the sums of other spans of the run.
   *
   * @param mostExact if a name has more durations than this, its percentiles are estimated
   */
  void add(SpanTotals part, int mostExact) {
    count += part.count;
    startEpochNanos = Math.min(startEpochNanos, part.startEpochNanos);
    endEpochNanos = Math.max(endEpochNanos, part.endEpochNanos);
    NameTotals.addAll(names, part.names, mostExact);
    doubtfulNames.or(part.doubtfulNames);
  }

  /** How many spans were read. */
  long count() {
    return count;
  }

  /** The earliest start of a span, 0 if none has one. */
  long startEpochNanos() {
    return endEpochNanos == 0 ? 0 : startEpochNanos;
  }

  /** From the earliest start to the latest end. */
  long wallNanos() {
    return endEpochNanos - startEpochNanos();
  }

  /** By name, the one with the most time first; of calls on Ray the executions. */
  List<NameTotals> names() {
    List<NameTotals> all = new ArrayList<>(names.values());
    all.sort(
        Comparator.comparingLong(NameTotals::totalNanos)
            .reversed()
            .thenComparing(NameTotals::name));
    return all;
  }

  /** Whether spans of that name, or their callers, are on a host with a doubtful clock. */
  boolean isDoubtful(int name) {
    return doubtfulNames.get(name);
  }
}
