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

  private RunsAtExit() {}

  static synchronized void add(RunTelemetry telemetry) {
    if (WITH_OPEN_RUNS.add(telemetry) && WITH_OPEN_RUNS.size() == 1) {
      register();
    }
  }

  static synchronized void remove(RunTelemetry telemetry) {
    if (WITH_OPEN_RUNS.remove(telemetry) && WITH_OPEN_RUNS.isEmpty()) {
      unregister();
    }
  }

  private static void closeAll() {
    List<RunTelemetry> all;
    synchronized (RunsAtExit.class) {
      all = List.copyOf(WITH_OPEN_RUNS);
    }
    all.forEach(RunTelemetry::close);
  }

  private static void register() {
    AgentLink link = AgentLink.get();
    if (link != null && link.beforeExit(CLOSE)) {
      agent = link;
      return;
    }
    Thread made = new Thread(null, CLOSE, "roll-otel-runs-exit", 0, false);
    made.setContextClassLoader(null);
    try {
      Runtime.getRuntime().addShutdownHook(made);
      hook = made;
    } catch (IllegalStateException shuttingDown) {
      // The JVM accepts no new hook any more: open runs stay open.
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
