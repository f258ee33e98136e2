package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;

/** When calls were sent. */
final class SentTimes {

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;

  SentTimes(Spans spans, SpanTree tree, SpanTree waits) {
    this.spans = spans;
    this.tree = tree;
    this.waits = waits;
  }

  /** In nanoseconds since the epoch; the span's start if it was not sent, or that is unknown. */
  long of(int span) {
    long start = spans.start(span);
    int parent = tree.above(span);
    long sent = start;
    if (parent >= 0) {
      if (spans.kind(parent) == Span.PRODUCER && waits.above(span) != parent) {
        sent = spans.isTimed(parent) ? spans.end(parent) : start;
      } else if (spans.process(parent) != spans.process(span) && spans.queueNanos(span) > 0) {
        sent = start - spans.queueNanos(span);
      }
    }
    return Math.min(sent, start);
  }
}
