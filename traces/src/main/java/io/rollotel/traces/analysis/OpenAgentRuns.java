package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.RunFacts;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The runs of an agent framework whose spans have not ended, by their ids. */
final class OpenAgentRuns {

  private record Id(String traceId, String spanId) {}

  private final Map<Id, OpenRun> runs = new LinkedHashMap<>();
  private final Clocks clocks;

  /**
   * Finds them.
   *
   * @param open the open spans of a run
   * @param clocks how its starts are corrected
   */
  OpenAgentRuns(OpenSpans open, Clocks clocks) {
    this.clocks = clocks;
    Map<Id, List<OpenRun.Step>> steps = new HashMap<>();
    List<OpenSpans.Row> rows = open.rows();
    for (OpenSpans.Row row : rows) {
      if (row.span().name().equals(RunFacts.STEP)) {
        steps
            .computeIfAbsent(
                new Id(row.span().traceId(), row.span().parentSpanId()), id -> new ArrayList<>())
            .add(new OpenRun.Step(row.span().spanId(), start(row), row.ageNanos()));
      }
    }
    steps.values().forEach(of -> of.sort(Comparator.comparingLong(OpenRun.Step::startEpochNanos)));
    for (OpenSpans.Row row : rows) {
      if (row.span().name().equals(RunFacts.RUN)) {
        Id id = new Id(row.span().traceId(), row.span().spanId());
        runs.put(id, run(row, List.copyOf(steps.getOrDefault(id, List.of()))));
      }
    }
  }

  private OpenRun run(OpenSpans.Row row, List<OpenRun.Step> steps) {
    return new OpenRun(
        row.span().traceId(),
        row.span().spanId(),
        row.process(),
        row.recording().isAlive(),
        row.recording().hasExited(),
        start(row),
        row.ageNanos(),
        steps);
  }

  private long start(OpenSpans.Row row) {
    return row.span().startEpochNanos() - clocks.shiftNanos(row.process().host());
  }

  /** The run that is a span's parent; null if its parent is none of these. */
  @Nullable OpenRun above(Spans spans, int span) {
    return runs.isEmpty()
        ? null
        : runs.get(new Id(spans.traceIdOf(span), spans.parentSpanId(span)));
  }

  /** All but some. */
  Collection<OpenRun> without(Collection<OpenRun> some) {
    Map<Id, OpenRun> others = new LinkedHashMap<>(runs);
    some.forEach(run -> others.remove(new Id(run.traceId(), run.spanId())));
    return others.values();
  }
}
