package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;

/**
 * The spans that a span waited for, to be searched by time.
 *
 * <p>A span may wait for calls of very many names. Each name has its own moments, and would take as
 * long as all the others if it looked at all of them.
 */
final class WaitedSpans {

  private final Spans spans;
  private final SpanTree waits;

  /** The span that waited for those below. */
  private int waiting = SpanTree.NONE;

  /** For each child the latest time that it or an earlier one reaches. */
  private long[] reached = {};

  WaitedSpans(Spans spans, SpanTree waits) {
    this.spans = spans;
    this.waits = waits;
  }

  Spans spans() {
    return spans;
  }

  /** Who waited for which. */
  SpanTree tree() {
    return waits;
  }

  /** When a span counts as ended. */
  long reach(int span) {
    return spans.isTimed(span)
        ? spans.end(span) - Tolerance.nanos(spans.nanos(span))
        : Long.MIN_VALUE;
  }

  /** The number of the first child of a span that ended after a moment. */
  int firstAfter(int span, long moment) {
    if (span != waiting) {
      load(span);
    }
    return StepTimes.upTo(reached, waits.childCount(span), moment);
  }

  private void load(int span) {
    int count = waits.childCount(span);
    reached = reached.length < count ? new long[Math.max(count, 2 * reached.length)] : reached;
    long latest = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      latest = Math.max(latest, reach(waits.child(span, i)));
      reached[i] = latest;
    }
    waiting = span;
  }
}
