package io.rollotel.examples.cartpole;

import java.util.concurrent.locks.LockSupport;

/**
 * Makes calls take this many times as long. Asleep it leaves the processors to the others, as a
 * slow machine of its own would. A park, because JDK 17 rounds a sleep up to whole milliseconds,
 * which is longer than most calls.
 *
 * @param factor 1 for no longer
 */
record SlownessBySleep(double factor) implements Slowness {

  @Override
  public void prolong(long tookNanos) {
    long now = System.nanoTime();
    long until = now + (long) ((factor - 1) * tookNanos);
    while (until - now > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, until - now);
      now = System.nanoTime();
    }
  }
}
