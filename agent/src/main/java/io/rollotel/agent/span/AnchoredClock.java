package io.rollotel.agent.span;

import io.opentelemetry.sdk.common.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Wall time by the monotonic clock: one reading of it per time, instead of one of each. What lies
 * between the two is read anew ten times a second at most, so that a wall clock that is set is
 * followed. The SDK reads it with each local root.
 */
final class AnchoredClock {

  private static final long VALID_NANOS = 100_000_000;

  /** Longer than it takes to read both clocks without being interrupted in between. */
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

  /** What makes epoch nanoseconds of {@link #nanoTime()}, now that it is {@code nanoTime}. */
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
