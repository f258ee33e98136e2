package io.rollotel.agent.export;

import java.util.concurrent.TimeUnit;

/**
 * When spans go out in a process that may be ended at any time once it has returned a result: as
 * soon as no task has ended for a moment. Under steady load they go out as late as ever, since a
 * round for each task would cost more than the task. Any thread may report the end of a task; all
 * else is for the export thread.
 */
final class PromptFlush {

  /** The wait after the end of a task. */
  private static final long BREATH_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** The wait between two rounds. */
  static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  private volatile boolean isWanted;
  private volatile long lastTaskNanos;
  private long roundNanos = System.nanoTime() - APART_NANOS;
  private long heldBackNanos;

  /**
   * A task has ended.
   *
   * @return whether the export thread must be woken
   */
  boolean taskEnded() {
    lastTaskNanos = System.nanoTime();
    if (isWanted) {
      return false;
    }
    isWanted = true;
    return true;
  }

  /** Whether a task has ended whose spans have not gone out. */
  boolean isWanted() {
    return isWanted;
  }

  void roundBegins() {
    roundNanos = System.nanoTime();
  }

  /**
   * How long ended spans may still wait; 0 if they must go out now.
   *
   * @param mostNanos how long they may wait altogether
   */
  long waitNanos(long mostNanos) {
    long nowNanos = System.nanoTime();
    long leftNanos =
        Math.max(lastTaskNanos + BREATH_NANOS - nowNanos, roundNanos + APART_NANOS - nowNanos);
    if (leftNanos > 0 && heldBackNanos < mostNanos) {
      heldBackNanos += leftNanos;
      return leftNanos;
    }
    heldBackNanos = 0;
    // A task that ends from here on wakes the thread again.
    isWanted = leftNanos > 0;
    return 0;
  }
}
