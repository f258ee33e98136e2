package io.rollotel.agent.export;

import io.rollotel.agent.background.AgentThreads;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes threads wait that end spans faster than the export thread takes them, so that none is lost.
 * Any thread.
 *
 * <p>The wait is bounded twice, since tracing must not hold up the application. Where no span is
 * taken for half a second (the disk hangs), nobody waits until one is. And all waiting together
 * takes five seconds at once at most, and one tenth of the time in the long run.
 */
class Backpressure {

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Steps, not a time: while the garbage collector stops the JVM, nobody can take spans. */
  private static final int MAX_STEPS_WITHOUT_PROGRESS = 500;

  private static final long MAX_CREDIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** One part in so many of the time that passes becomes credit. */
  private static final int CREDIT_PART = 10;

  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();

  /** How many spans had been taken when a wait was in vain; -1 for none. */
  private volatile long stalledAt = -1;

  private volatile boolean wasNeeded;

  // Guarded by this.
  private long creditNanos = MAX_CREDIT_NANOS;
  private long creditedAtNanos = nanoTime();

  /** Notes that spans have left the queue. */
  void taken(int spans) {
    taken.addAndGet(spans);
  }

  /** Whether somebody has waited. */
  boolean wasNeeded() {
    return wasNeeded;
  }

  /**
   * Waits until the queue has room.
   *
   * @return whether it has; false at once on the agent's own threads, which the room may depend on
   */
  boolean await(SpanQueue queue) {
    if (AgentThreads.isCurrent()) {
      return false;
    }
    boolean interrupted = false;
    waiting.incrementAndGet();
    try {
      long seen = taken.get();
      for (int steps = 0; steps < MAX_STEPS_WITHOUT_PROGRESS; steps++) {
        if (queue.hasRoom()) {
          return true;
        }
        if (seen == stalledAt || !spend(STEP_NANOS / Math.max(1, waiting.get()))) {
          return false;
        }
        wasNeeded = true;
        pause(STEP_NANOS);
        interrupted |= Thread.interrupted(); // the application's, given back below
        if (seen != taken.get()) {
          seen = taken.get();
          steps = 0;
        }
      }
      stalledAt = seen;
      return false;
    } finally {
      waiting.decrementAndGet();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized boolean spend(long nanos) {
    long nowNanos = nanoTime();
    creditNanos += (nowNanos - creditedAtNanos) / CREDIT_PART;
    creditNanos = Math.min(creditNanos, MAX_CREDIT_NANOS);
    creditedAtNanos = nowNanos;
    if (creditNanos < nanos) {
      return false;
    }
    creditNanos -= nanos;
    return true;
  }

  // For tests, which have no time.

  void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  long nanoTime() {
    return System.nanoTime();
  }
}
