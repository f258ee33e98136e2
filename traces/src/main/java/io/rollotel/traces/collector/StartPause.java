package io.rollotel.traces.collector;

import java.util.concurrent.TimeUnit;

/**
 * The pause after a start of the collector that failed for something that may pass. It doubles,
 * because each attempt without a thread costs two lines that the JVM prints, and each one without
 * memory a collection. Its caller holds a lock.
 */
final class StartPause {

  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private int failures;
  private long untilNanos;

  /** Another start in a row has failed. */
  void begin() {
    long nanos = LEAST_NANOS << Math.min(failures, 5);
    untilNanos = System.nanoTime() + Math.min(MOST_NANOS, nanos);
    failures++;
  }

  boolean lasts() {
    return failures != 0 && System.nanoTime() - untilNanos < 0;
  }
}
