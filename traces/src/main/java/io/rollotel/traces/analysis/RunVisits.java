package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How the one path of a run goes through its steps ({@link RunPath}): the step in which it is
 * during each period. With this, the path can be followed through a part of the steps.
 */
final class RunVisits implements Serializable {

  /** One visit; the path reaches those with lower numbers first. */
  private record Visit(
      int number, long spanId, boolean isWithin, long momentEpochNanos, long untilEpochNanos)
      implements Serializable {}

  /** A visit, and the number of its step in memory. */
  private record InMemory(Visit visit, int step) {}

  /** By the ids of the traces. */
  private final Map<String, List<Visit>> visits = new HashMap<>();

  private int count;
  private long betweenNanos;

  /** Adds the next visit, as {@link RunPath.Visits} receives it. */
  void add(Spans spans, int step, boolean isWithin, long momentNanos, long untilNanos) {
    visits
        .computeIfAbsent(spans.traceIdOf(step), trace -> new ArrayList<>(1))
        .add(new Visit(count++, spans.id(step), isWithin, momentNanos, untilNanos));
  }

  /** Adds time on the path in which no step ran. */
  void addBetween(long nanos) {
    betweenNanos += nanos;
  }

  /** How long no step ran on the path. */
  long betweenNanos() {
    return betweenNanos;
  }

  /**
   * Gives the segments in some steps to the sink, the last first.
   *
   * @param path through the traces of these steps
   */
  void follow(Spans spans, int[] steps, CriticalPath path, CriticalPath.Sink sink) {
    List<InMemory> inMemory = new ArrayList<>();
    for (int step : steps) {
      for (Visit visit : visits.getOrDefault(spans.traceIdOf(step), List.of())) {
        if (visit.spanId == spans.id(step)) {
          inMemory.add(new InMemory(visit, step));
        }
      }
    }
    inMemory.sort(Comparator.comparingInt(each -> each.visit.number));
    for (InMemory each : inMemory) {
      Visit visit = each.visit;
      path.followFrom(
          each.step,
          visit.isWithin,
          visit.momentEpochNanos,
          (span, isQueueWait, from, to) -> {
            if (to > visit.untilEpochNanos) {
              sink.segment(span, isQueueWait, Math.max(from, visit.untilEpochNanos), to);
            }
          });
    }
  }
}
