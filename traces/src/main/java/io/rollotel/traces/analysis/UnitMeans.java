package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * For each name, the mean of its durations in every step that has any, because spans of one step
 * are not independent of each other. Outside steps, the mean in every trace.
 */
final class UnitMeans implements Serializable {

  /** By name; one piece for each part of the run's traces. */
  private final Map<Integer, List<long[]>> byName = new HashMap<>();

  private final WorkerMeans workers = new WorkerMeans();

  /** None yet. */
  UnitMeans() {}

  UnitMeans(Spans spans, StepUnits units, CallPairs pairs, int[] members) {
    Map<Integer, Map<Integer, long[]>> sums = new HashMap<>(); // name, unit: count and total
    for (int span : members) {
      if (spans.isTimed(span) && !pairs.isDispatch(span)) {
        long[] sum =
            sums.computeIfAbsent(spans.name(span), name -> new HashMap<>())
                .computeIfAbsent(units.of(span), unit -> new long[2]);
        sum[0]++;
        sum[1] += spans.nanos(span);
        workers.add(spans, units, span);
      }
    }
    workers.end();
    sums.forEach(
        (name, byUnit) -> {
          long[] means = byUnit.values().stream().mapToLong(sum -> sum[1] / sum[0]).toArray();
          byName.put(name, List.of(means));
        });
  }

  /** Adds those of other traces. */
  void add(UnitMeans part) {
    part.byName.forEach(
        (name, means) -> byName.computeIfAbsent(name, none -> new ArrayList<>()).addAll(means));
    workers.add(part.workers);
  }

  /** By the text of the name; the means are sorted. */
  Map<String, long[]> all(Spans spans) {
    Map<String, long[]> all = new HashMap<>();
    byName.forEach(
        (name, pieces) ->
            all.put(
                spans.names().text(name),
                pieces.stream().flatMapToLong(Arrays::stream).sorted().toArray()));
    return all;
  }

  /** The same for each process, in some of the steps. */
  WorkerMeans workers() {
    return workers;
  }
}
