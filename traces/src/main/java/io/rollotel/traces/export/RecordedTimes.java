package io.rollotel.traces.export;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.Spans;

/**
 * The times of a run's spans as they were recorded, so that they match other logs of the same host:
 * the analysis puts all hosts on one clock, and ends agents' runs that nobody ended.
 */
final class RecordedTimes {

  private final Spans spans;

  /** What was subtracted from the times of each process. */
  private final long[] shiftNanos;

  RecordedTimes(RunAnalysis run) {
    this.spans = run.spans();
    this.shiftNanos =
        spans.processes().stream()
            .mapToLong(process -> run.clocks().shiftNanos(process.host()))
            .toArray();
  }

  long start(int span) {
    return spans.start(span) + shiftNanos[spans.process(span)];
  }

  /** That of a span that ended before its start, or never, is its start. */
  long end(int span) {
    return spans.endBeforeCut(span) + shiftNanos[spans.process(span)];
  }
}
