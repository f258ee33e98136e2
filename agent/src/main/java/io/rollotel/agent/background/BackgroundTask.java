package io.rollotel.agent.background;

import io.rollotel.agent.log.AgentLog;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that does some work again and again without keeping the worker alive: a dropped
 * application takes its copy of the SDK along, and this thread then ends by itself. It waits here,
 * outside the SDK's classes, so that nothing of them is on its stack meanwhile.
 */
public final class BackgroundTask implements Runnable {

  private final WeakReference<LongSupplier> work;
  private final Thread thread;

  /** Set while there is work that must not be lost with its owner. */
  private volatile @Nullable LongSupplier held;

  private volatile boolean stopped;
  private volatile @Nullable Runnable lastAct;

  private BackgroundTask(String name, LongSupplier work) {
    this.work = new WeakReference<>(work);
    thread = AgentThreads.make(name, this);
    thread.setDaemon(true);
  }

  /**
   * Starts the thread.
   *
   * @param work one round; its result is how many nanoseconds to wait before the next
   */
  public static BackgroundTask start(String name, LongSupplier work) {
    BackgroundTask task = new BackgroundTask(name, work);
    task.thread.start();
    return task;
  }

  /** Begins the next round at once. */
  public void wake() {
    LockSupport.unpark(thread);
  }

  /** Keeps the work alive until {@link #release}, because it holds something. */
  public void hold(LongSupplier busy) {
    if (held == null) {
      held = busy;
    }
  }

  /** The work is empty and may be dropped. */
  public void release() {
    held = null;
  }

  /** Ends the thread after its present round. */
  public void stop() {
    stopped = true;
    wake();
  }

  /** {@link #stop}, and then runs this on the thread, if that has not ended yet. */
  public void stop(Runnable last) {
    lastAct = last;
    stop();
  }

  @Override
  public void run() {
    while (!stopped) {
      long waitNanos = round();
      if (waitNanos < 0) {
        return;
      }
      LockSupport.parkNanos(this, waitNanos);
      // An interrupt by foreign code must not make the thread spin, nor close a round's files.
      Thread.interrupted();
    }
    Runnable last = lastAct;
    if (last != null) {
      last.run();
    }
  }

  /** A method of its own, so that no reference to the work stays in a local while waiting. */
  private long round() {
    LongSupplier alive = work.get();
    if (alive == null) {
      return -1;
    }
    try {
      return alive.getAsLong();
    } catch (Throwable t) {
      try {
        AgentLog.warnOnce("a background task failed and will be retried: " + t);
      } catch (Throwable noMemoryToSayIt) {
        // The thread must survive this: otherwise nothing would empty the queue any more.
      }
      return 1_000_000_000L;
    }
  }
}
