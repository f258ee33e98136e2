package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.RunFacts;
import io.rollotel.traces.spans.Spans;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The runs of an agent framework whose spans have not ended, by their ids. */
final class OpenAgentRuns {

  private record Id(String traceId, String spanId) {}

  private final Map<Id, OpenRun> runs = new LinkedHashMap<>();

  /**
   * Finds them.
   *
   * @param open the open spans of a run
   * @param clocks what its start is corrected by
   */
  OpenAgentRuns(OpenSpans open, Clocks clocks) {
    for (OpenSpans.Row row : open.rows()) {
      if (row.span().name().equals(RunFacts.RUN)) {
        runs.put(new Id(row.span().traceId(), row.span().spanId()), run(row, clocks));
      }
    }
  }

  private static OpenRun run(OpenSpans.Row row, Clocks clocks) {
    return new OpenRun(
        row.span().traceId(),
        row.span().spanId(),
        row.process(),
        row.recording().isAlive(),
        row.span().startEpochNanos() - clocks.shiftNanos(row.process().host()),
        row.ageNanos());
  }

  /** The run that is a span's parent; null if its parent is none of these. */
  @Nullable OpenRun above(Spans spans, int span) {
    return runs.isEmpty()
        ? null
        : runs.get(new Id(spans.traceIdOf(span), spans.parentSpanId(span)));
  }
}
