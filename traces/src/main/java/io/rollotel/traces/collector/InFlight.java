package io.rollotel.traces.collector;

import java.util.concurrent.TimeUnit;

/** The number of requests that are being served, and whether more are let in. */
final class InFlight {

  private int requests;
  private boolean isClosed;

  /** Lets a request in, which must then {@link #leave}; false when closed. */
  synchronized boolean enter() {
    if (!isClosed) {
      requests++;
    }
    return !isClosed;
  }

  synchronized void leave() {
    requests--;
    notifyAll();
  }

  /** Lets nobody in any more and waits for those inside. */
  synchronized void close(long patienceMillis) {
    isClosed = true;
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    try {
      while (requests > 0) {
        long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (leftMillis <= 0) {
          return;
        }
        wait(leftMillis);
      }
    } catch (InterruptedException e) {
      // The interrupt is the caller's; to close without patience is right then.
      Thread.currentThread().interrupt();
    }
  }
}
