package io.rollotel.agent.span;

import io.opentelemetry.sdk.common.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Wall-clock time from the monotonic clock, with one reading per timestamp instead of one of each
 * clock. The offset between the two is read again at most ten times a second, so that it follows a
 * wall clock that is adjusted. The SDK reads the wall clock for each local root.
 */
final class AnchoredClock {

  private static final long VALID_NANOS = 100_000_000;

  /** Longer than reading both clocks takes without an interruption. */
  private static final long PRECISE_NANOS = 1_000;

  private static final int MOST_TRIES = 5;

  private record Anchor(long nanoTime, long offsetNanos) {}

  private final Clock clock;
  private volatile @Nullable Anchor anchor;

  AnchoredClock(Clock clock) {
    this.clock = clock;
  }

  /** As {@link System#nanoTime()}. */
  long nanoTime() {
    return clock.nanoTime();
  }

  /** The offset from {@link #nanoTime()} to epoch nanoseconds, at the time {@code nanoTime}. */
  long offsetNanos(long nanoTime) {
    Anchor known = anchor;
    return known != null && nanoTime - known.nanoTime < VALID_NANOS
        ? known.offsetNanos
        : readOffsetNanos();
  }

  private long readOffsetNanos() {
    long bestNanos = Long.MAX_VALUE;
    long offsetNanos = 0;
    long before = clock.nanoTime();
    for (int tries = 0; tries < MOST_TRIES && bestNanos > PRECISE_NANOS; tries++) {
      long epochNanos = clock.now();
      long after = clock.nanoTime();
      if (after - before < bestNanos) {
        bestNanos = after - before;
        offsetNanos = epochNanos - (before + bestNanos / 2);
      }
      before = after;
    }
    anchor = new Anchor(before, offsetNanos);
    return offsetNanos;
  }
}
