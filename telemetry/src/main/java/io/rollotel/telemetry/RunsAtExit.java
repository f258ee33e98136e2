package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.AgentLink;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Closes open runs at the end of the JVM: before the agent's last export if there is an agent,
 * otherwise in a shutdown hook. It holds a {@link RunTelemetry} only while that has open runs, so
 * that an application can be unloaded.
 */
final class RunsAtExit {

  private static final Runnable CLOSE = RunsAtExit::closeAll;

  // Guarded by this class.
  private static final Set<RunTelemetry> WITH_OPEN_RUNS = new HashSet<>();
  private static @Nullable AgentLink agent;
  private static @Nullable Thread hook;
  private static boolean isJvmEnding;

  private RunsAtExit() {}

  /** False if the JVM is ending: nobody would close the run. */
  static synchronized boolean add(RunTelemetry telemetry) {
    if (isJvmEnding) {
      return false;
    }
    if (WITH_OPEN_RUNS.add(telemetry) && WITH_OPEN_RUNS.size() == 1 && !register()) {
      isJvmEnding = true;
      WITH_OPEN_RUNS.clear();
    }
    return !isJvmEnding;
  }

  static synchronized void remove(RunTelemetry telemetry) {
    if (WITH_OPEN_RUNS.remove(telemetry) && WITH_OPEN_RUNS.isEmpty()) {
      unregister();
    }
  }

  private static void closeAll() {
    List<RunTelemetry> all;
    boolean isJvmAlive = mayAddHook();
    synchronized (RunsAtExit.class) {
      isJvmEnding |= !isJvmAlive;
      all = List.copyOf(WITH_OPEN_RUNS);
    }
    boolean hasProgramEnded = !isJvmAlive && hasProgramEnded();
    all.forEach(telemetry -> telemetry.closeAtEnd(!isJvmAlive, hasProgramEnded));
  }

  /** Otherwise the agent is detached, or the program ends tracing, and may start runs later. */
  private static boolean mayAddHook() {
    Thread tried = new Thread(null, () -> {}, "roll-otel-runs-exit", 0, false);
    tried.setContextClassLoader(null);
    try {
      Runtime.getRuntime().addShutdownHook(tried);
      Runtime.getRuntime().removeShutdownHook(tried);
      return true;
    } catch (IllegalStateException shuttingDown) {
      return false;
    }
  }

  /**
   * Whether the program ended by itself, and not by a signal, which the JDK handles in a thread.
   */
  private static boolean hasProgramEnded() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group != null && group.getParent() != null) {
      group = group.getParent();
    }
    if (group == null) {
      return false;
    }
    Thread[] threads = new Thread[group.activeCount() + 64];
    int found = group.enumerate(threads);
    for (int i = 0; i < found; i++) {
      String name = threads[i].getName();
      if (name.startsWith("SIG") && name.endsWith(" handler")) {
        return false;
      }
    }
    return true;
  }

  /** False if the JVM is ending. */
  private static boolean register() {
    AgentLink link = AgentLink.get();
    if (link != null && link.beforeExit(CLOSE)) {
      agent = link;
      return true;
    }
    Thread made = new Thread(null, CLOSE, "roll-otel-runs-exit", 0, false);
    made.setContextClassLoader(null);
    try {
      Runtime.getRuntime().addShutdownHook(made);
      hook = made;
      return true;
    } catch (IllegalStateException shuttingDown) {
      return false;
    }
  }

  private static void unregister() {
    if (agent != null) {
      agent.notBeforeExit(CLOSE);
      agent = null;
    }
    if (hook != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException shuttingDown) {
        // The hook is running.
      }
      hook = null;
    }
  }
}
