package io.rollotel.traces.collector;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts something on a thread of its own and waits for it only for a given time. The start may
 * hang, and its thread may die without leaving an error: recording one takes memory.
 */
final class BoundedStart<T> implements Runnable {

  private final Callable<T> start;
  private final Consumer<T> undo;

  // Guarded by this.
  private @Nullable T started;
  private @Nullable Throwable failure;
  private boolean isGivenUp;

  /**
   * One start.
   *
   * @param undo ends what has started when nobody waited for it any more
   */
  BoundedStart(Callable<T> start, Consumer<T> undo) {
    this.start = start;
    this.undo = undo;
  }

  @Override
  public void run() {
    T made;
    try {
      made = start.call();
    } catch (Throwable t) {
      synchronized (this) {
        failure = t;
      }
      return;
    }
    synchronized (this) {
      if (!isGivenUp) {
        started = made;
        return;
      }
    }
    undo.accept(made);
  }

  /**
   * Returns what has started. An interrupt does not end the wait; the flag is set again afterwards.
   *
   * @param thread runs this
   * @throws IOException if it has failed, with the reason as its cause: a {@code
   *     VirtualMachineError} where a later start may do better; or if it takes too long
   */
  T await(Thread thread, long patienceMillis) throws IOException {
    join(thread, patienceMillis);
    synchronized (this) {
      T made = started;
      if (made != null) {
        return made;
      }
      isGivenUp = true;
      Throwable reason = failure;
      if (reason == null && thread.isAlive()) {
        throw new IOException("it has not started within " + patienceMillis + " ms");
      }
      if (reason == null) {
        reason = new InternalError("its thread has died");
      }
      throw new IOException(reason.toString(), reason);
    }
  }

  private static void join(Thread thread, long patienceMillis) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      if (leftMillis <= 0) {
        break;
      }
      try {
        thread.join(leftMillis);
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
