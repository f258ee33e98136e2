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
 * What waits for the first use of tracing, since before it there is no context: to weave the JDK's
 * threads and executors, and the logging libraries.
 *
 * <p>That happens inside the application's call, as the next task that it hands over is to take its
 * context along. But not where memory is nearly gone: a JDK that runs out of it while it changes
 * its own classes may crash. Then it happens on another thread, as soon as there is room.
 */
final class FirstUse implements Runnable, LongSupplier {

  /** What weaving takes, more than enough; in a small heap a part of it. */
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

  /** Weaves now if there is room, else later. Throws nothing: the call goes on without. */
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
      // There is none to say it either.
    }
  }

  @Override
  public long getAsLong() {
    return round(freeBytes());
  }

  /** How long to wait for the next; below 0 to end. */
  long round(long freeBytes) {
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

  /** Without what a collection would free: nobody is made to wait for one. */
  private static long freeBytes() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
  }
}
