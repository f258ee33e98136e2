package io.rollotel.agent.export;

import io.rollotel.agent.background.AgentThreads;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Slows threads that end spans faster than the export thread takes them, so that no span is lost.
 * Any thread.
 *
 * <p>The wait is bounded twice, since tracing must not hold up the application. If no span is taken
 * for half a second (the disk hangs), threads do not wait until one is. And all waiting together is
 * limited to five seconds at a time, and to one tenth of the time in the long run.
 */
class Backpressure {

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Counted in steps and not in time, because no span can be taken while the JVM pauses. */
  private static final int MAX_STEPS_WITHOUT_PROGRESS = 500;

  private static final long MAX_CREDIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** One in this many parts of the elapsed time becomes credit. */
  private static final int CREDIT_PART = 10;

  /** Caps the charge for one step: a pause of the JVM must not use up the credit. */
  private static final long MAX_CHARGE_NANOS = 20 * STEP_NANOS;

  /** Many threads look less often: each look takes processor time from the export thread. */
  private static final int MAX_STEP_FACTOR = 20;

  /** Without credit, this time passes before anyone checks for new credit. */
  private static final long NO_CREDIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final AtomicLong taken = new AtomicLong();

  /** How many spans had been taken when a wait ended without room; -1 if none did. */
  private volatile long stalledAt = -1;

  private volatile long noCreditBeforeNanos = nanoTime();
  private volatile boolean wasNeeded;

  // Guarded by this.
  private int waiting;
  private long creditNanos = MAX_CREDIT_NANOS;
  private long nobodyWaitsSinceNanos = nanoTime();

  /** Notes that spans have left the queue. */
  void taken(int spans) {
    taken.addAndGet(spans);
  }

  /** Whether any thread has waited. */
  boolean wasNeeded() {
    return wasNeeded;
  }

  /**
   * Waits until the queue has room.
   *
   * @param wake called before the wait
   * @return whether it has; false at once on the agent's own threads, which the room may depend on
   */
  boolean await(SpanQueue queue, Runnable wake) {
    long seen = taken.get();
    if (seen == stalledAt
        || nanoTime() - noCreditBeforeNanos < 0
        || AgentThreads.isCurrent()
        || !enter()) {
      return false;
    }
    wake.run();
    boolean interrupted = false;
    try {
      for (int steps = 0; steps < MAX_STEPS_WITHOUT_PROGRESS; steps++) {
        if (queue.hasRoom()) {
          return true;
        }
        wasNeeded = true;
        long beforeNanos = nanoTime();
        pause(stepNanos());
        interrupted |= Thread.interrupted(); // the application's interrupt, restored below
        if (!spend(nanoTime() - beforeNanos)) {
          return queue.hasRoom();
        }
        if (seen != taken.get()) {
          seen = taken.get();
          steps = 0;
        }
      }
      stalledAt = seen;
      return false;
    } finally {
      leave();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether there is credit, which grows while no thread waits. */
  private synchronized boolean enter() {
    long nowNanos = nanoTime();
    if (waiting == 0) {
      creditNanos += (nowNanos - nobodyWaitsSinceNanos) / CREDIT_PART;
      creditNanos = Math.min(creditNanos, MAX_CREDIT_NANOS);
      nobodyWaitsSinceNanos = nowNanos;
    }
    if (creditNanos <= 0) {
      noCreditBeforeNanos = nowNanos + NO_CREDIT_NANOS;
      return false;
    }
    waiting++;
    return true;
  }

  private synchronized void leave() {
    if (--waiting == 0) {
      nobodyWaitsSinceNanos = nanoTime();
    }
  }

  private synchronized long stepNanos() {
    return STEP_NANOS * Math.min(waiting, MAX_STEP_FACTOR);
  }

  /** Threads that wait at the same time share the charge. False if there is no credit left. */
  private synchronized boolean spend(long nanos) {
    creditNanos -= Math.min(nanos, MAX_CHARGE_NANOS) / waiting;
    return creditNanos > 0;
  }

  // For tests, which control the time.

  void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  long nanoTime() {
    return System.nanoTime();
  }
}
