package io.rollotel.agent.export;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How fast one process sends what waits. A thousand processes do the same, so none of them begins
 * or tries again when all the others do.
 */
final class Pace {

  /**
   * The rate of one process; it catches up on an outage of ten minutes at 5,000 spans a second in
   * five minutes.
   */
  private static final long MOST_SPANS_PER_SECOND = 10_000;

  /**
   * The period over which a thousand processes that start at once begin to send, also after an
   * outage.
   */
  private static final long SPREAD_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final long LEAST_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(30);

  private Pace() {}

  /**
   * The rest after a line: at least as long as the line took, so at most half of one thread is
   * spent.
   */
  static long restNanos(int spans, long tookNanos) {
    return Math.max(tookNanos, spans * 1_000_000_000L / MOST_SPANS_PER_SECOND - tookNanos);
  }

  /** The pause after so many failures in a row. */
  static long backoffNanos(int failures) {
    return scattered(
        Math.min(MOST_BACKOFF_NANOS, LEAST_BACKOFF_NANOS << Math.min(failures - 1, 5)));
  }

  /** Half to one and a half of a pause. */
  static long scattered(long nanos) {
    return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.5, 1.5));
  }

  /** The wait before the first line. */
  static long spreadNanos() {
    return ThreadLocalRandom.current().nextLong(SPREAD_NANOS);
  }
}
