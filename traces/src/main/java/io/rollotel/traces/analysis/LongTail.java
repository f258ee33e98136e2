package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * Fan-outs that a single long call ends. Sharing calls out differently would not help, because a
 * call is executed by one process.
 */
final class LongTail {

  /** A long call takes this many times the typical one or more. */
  private static final double LONG = 3;

  /** It takes this share of the fan-out's time or more. */
  private static final double NEARLY_ALL = 0.8;

  /** Fewer calls for each process may be shares of one piece of work, cut as somebody chose. */
  private static final int CALLS_OF_A_PROCESS = 2;

  private LongTail() {}

  /** Whether whole calls are shared out, and not the work within them. */
  static boolean areCallsWhole(int calls, int processes) {
    return calls >= CALLS_OF_A_PROCESS * processes;
  }

  /**
   * What the typical call of a fan-out takes, the lower of two medians.
   *
   * @return -1 if no long call takes nearly all of its time
   */
  static long typicalNanos(Spans spans, int[] calls, int processes) {
    if (!areCallsWhole(calls.length, processes)) {
      return -1;
    }
    int last = calls[0];
    long start = Long.MAX_VALUE;
    for (int call : calls) {
      last = spans.end(call) > spans.end(last) ? call : last;
      start = Math.min(start, spans.start(call));
    }
    // Before the sorting, which few fan-outs need.
    if (spans.nanos(last) < NEARLY_ALL * (spans.end(last) - start)) {
      return -1;
    }
    long typical = LowerMedian.of(Arrays.stream(calls).mapToLong(spans::nanos));
    return isLong(spans.nanos(last), typical) ? typical : -1;
  }

  static boolean isLong(long nanos, long typicalNanos) {
    return nanos > LONG * typicalNanos;
  }
}
