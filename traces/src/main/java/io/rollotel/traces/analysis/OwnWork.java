package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A process's own work in a span. If calls were sent from below it, that is its part of the span's
 * critical path: the rest is waiting for others.
 */
final class OwnWork {

  private final Spans spans;
  private final CriticalPath path;
  private final IntPredicate isOpened;

  /** For spans whose own work is not their whole time. */
  private final Map<Integer, Long> known = new HashMap<>();

  /**
   * Of the spans of a run, or of some of its traces.
   *
   * @param isOpened whether a call was sent from below a span
   */
  OwnWork(Spans spans, CriticalPath path, IntPredicate isOpened) {
    this.spans = spans;
    this.path = path;
    this.isOpened = isOpened;
  }

  boolean isOpened(int span) {
    return isOpened.test(span);
  }

  long nanos(int span) {
    if (!isOpened.test(span)) {
      return spans.nanos(span);
    }
    return known.computeIfAbsent(span, this::followed);
  }

  /** The same, not kept: for spans of which there may be millions. */
  long nanosOnce(int span) {
    return isOpened.test(span) ? followed(span) : spans.nanos(span);
  }

  private long followed(int span) {
    long[] sum = new long[1];
    path.follow(
        span,
        (at, isQueueWait, from, to) -> {
          if (!isQueueWait && spans.process(at) == spans.process(span)) {
            sum[0] += to - from;
          }
        });
    return sum[0];
  }
}
