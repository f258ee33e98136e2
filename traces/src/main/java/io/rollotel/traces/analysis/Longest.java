package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;

/**
 * The span with the largest of some durations; of equal ones the first by {@link Spans#compare}.
 */
final class Longest implements Serializable {

  private final Spans spans;
  private long nanos = -1;
  private int span = -1;

  Longest(Spans spans) {
    this.spans = spans;
  }

  void see(long itsNanos, int itsSpan) {
    if (itsNanos > nanos || (itsNanos == nanos && spans.compare(itsSpan, span) < 0)) {
      nanos = itsNanos;
      span = itsSpan;
    }
  }

  void add(Longest part, RowCopies copies) {
    if (part.span >= 0 && part.nanos >= nanos) {
      see(part.nanos, copies.of(part.span));
    }
  }

  /** Its number; -1 if there is none. */
  int span() {
    return span;
  }
}
