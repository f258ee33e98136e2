package io.rollotel.agent.startup;

import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.correlation.LogLibraries;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.threads.TaskThreads;
import io.rollotel.agent.transform.ResettableTransformers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Weaves the JDK's threads and executors and the logging libraries, at the first use of tracing:
 * before that there is no context to carry.
 *
 * <p>It happens on a thread of its own, which has all of its stack: the application may be at the
 * end of its own. The application's call waits for it, for a time, so that the next task the call
 * hands over takes its context along. If the heap is nearly full, it happens once there has been
 * room for a second: a JVM that runs out of memory while it retransforms its own classes may crash,
 * and a heap that was full a moment ago may be full again in the next.
 *
 * <p>If the thread cannot be started, because no memory, thread or stack is left, the next run
 * tries again.
 */
class FirstUse implements Runnable, LongSupplier {

  /** More than weaving takes. A small heap needs a part of it only. */
  private static final long ROOM_BYTES = 8 << 20;

  private static final int HEAP_SHARE = 16;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** How many looks in a row must find room, once one has found none. */
  static final int LOOKS_WITH_ROOM = 5;

  /**
   * How long the call waits: weaving takes a tenth of a second, but may need a lock that the call
   * holds.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final CurrentSettings settings;
  private final ResettableTransformers transformers;
  private final TracingCopies tracings;

  /** Open once the classes are woven, or weaving is postponed. */
  private final CountDownLatch begun = new CountDownLatch(1);

  /** Written under this. */
  private volatile boolean isStarted;

  /** Looks that must still find room. Belongs to the thread that weaves. */
  private int looksToGo = 1;

  FirstUse(CurrentSettings settings, ResettableTransformers transformers, TracingCopies tracings) {
    this.settings = settings;
    this.transformers = transformers;
    this.tracings = tracings;
  }

  @Override
  public void run() {
    if (!isStarted) {
      begin(freeBytes());
    }
  }

  /** Weaves now if there is room, otherwise later. Never throws. */
  void begin(long freeBytes) {
    try {
      startOnce();
      if (hasRoom(freeBytes)) {
        awaitBegun();
      }
    } catch (Throwable noMemory) {
      // Logging would need memory, too.
    }
  }

  private synchronized void startOnce() {
    if (!isStarted) {
      startThread();
      isStarted = true;
    }
  }

  /** A separate method for tests. */
  void startThread() {
    BackgroundTask.start("roll-otel-weave", this);
  }

  private void awaitBegun() {
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    boolean interrupted = false;
    boolean isOver = false;
    while (!isOver) {
      try {
        begun.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        isOver = true;
      } catch (InterruptedException e) {
        interrupted = true; // the application's interrupt, restored below
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public long getAsLong() {
    return round(freeBytes());
  }

  /** Nanoseconds until the next round; negative after the last one. */
  long round(long freeBytes) {
    try {
      if (transformers.hasEnded()) {
        return -1; // the agent was detached meanwhile
      }
      if (hasRoom(freeBytes)) {
        looksToGo--;
        if (looksToGo > 0) {
          return LOOK_NANOS;
        }
        weave();
        return -1;
      }
      looksToGo = LOOKS_WITH_ROOM;
      if (begun.getCount() > 0) {
        AgentLog.warn(
            "the heap is nearly full: contexts follow work into other threads, and log lines name"
                + " their spans, when there is room again");
      }
      return LOOK_NANOS;
    } finally {
      begun.countDown();
    }
  }

  private void weave() {
    Settings now = settings.get();
    if (now.threads()) {
      TaskThreads.weave(transformers, tracings);
    }
    if (now.logCorrelation()) {
      LogLibraries.weave(transformers);
    }
  }

  private static boolean hasRoom(long freeBytes) {
    return freeBytes >= Math.min(ROOM_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /**
   * Does not subtract garbage: only a collection could determine it, and the call would wait for
   * that.
   */
  private static long freeBytes() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
  }
}
