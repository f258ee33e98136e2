package io.rollotel.agent.startup;

import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.correlation.LogLibraries;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.threads.TaskThreads;
import io.rollotel.agent.transform.ResettableTransformers;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Weaves the JDK's threads and executors and the logging libraries, at the first use of tracing:
 * before that there is no context to carry.
 *
 * <p>It happens inside the application's call, so that the next task the call hands over takes its
 * context along. If the heap is nearly full it happens later, on another thread: a JVM that runs
 * out of memory while it retransforms its own classes may crash.
 */
final class FirstUse implements Runnable, LongSupplier {

  /** More than weaving takes. A small heap needs a part of it only. */
  private static final long ROOM_BYTES = 8 << 20;

  private static final int HEAP_SHARE = 16;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final CurrentSettings settings;
  private final ResettableTransformers transformers;
  private final TracingCopies tracings;

  FirstUse(CurrentSettings settings, ResettableTransformers transformers, TracingCopies tracings) {
    this.settings = settings;
    this.transformers = transformers;
    this.tracings = tracings;
  }

  @Override
  public void run() {
    begin(freeBytes());
  }

  /** Weaves now if there is room, otherwise later. Never throws. */
  void begin(long freeBytes) {
    if (hasRoom(freeBytes)) {
      weave();
      return;
    }
    try {
      BackgroundTask.start("roll-otel-weave", this);
      AgentLog.warn(
          "the heap is nearly full: contexts follow work into other threads, and log lines name"
              + " their spans, when there is room again");
    } catch (Throwable noMemory) {
      // Logging would need memory, too.
    }
  }

  @Override
  public long getAsLong() {
    return round(freeBytes());
  }

  /** Nanoseconds until the next round; negative after the last one. */
  long round(long freeBytes) {
    if (transformers.hasEnded()) {
      return -1; // the agent was detached meanwhile
    }
    if (!hasRoom(freeBytes)) {
      return LOOK_NANOS;
    }
    weave();
    return -1;
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

  /** Does not count garbage: only a collection could tell, and the call would wait for it. */
  private static long freeBytes() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
  }
}
