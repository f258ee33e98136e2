package io.rollotel.traces.collector;

import java.util.concurrent.TimeUnit;

/**
 * Work that a daemon thread does at once, and then again after each interval, until it is closed.
 * Closing does not wait for work that is running.
 */
final class RepeatedWork implements AutoCloseable {

  private final String thread;
  private final long intervalNanos;
  private final Runnable work;
  private volatile boolean isClosed;

  /**
   * Work that has not begun.
   *
   * @param thread the name of its thread
   * @param work throws nothing but {@link OutOfMemoryError}, after which it is tried again
   */
  RepeatedWork(String thread, long intervalNanos, Runnable work) {
    this.thread = thread;
    this.intervalNanos = intervalNanos;
    this.work = work;
  }

  /**
   * Starts the thread.
   *
   * @throws OutOfMemoryError if the system has no thread left
   */
  void start() {
    Thread started = new Thread(null, this::repeat, thread, 0, false);
    started.setContextClassLoader(null);
    started.setDaemon(true);
    started.start();
  }

  private void repeat() {
    try {
      while (!isClosed) {
        try {
          work.run();
        } catch (OutOfMemoryError passing) {
          // The next round may find memory.
        }
        synchronized (this) {
          if (!isClosed) {
            TimeUnit.NANOSECONDS.timedWait(this, intervalNanos);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // this thread should end
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    notifyAll();
  }
}
