package io.rollotel.agent.api;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.log.AgentLog;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The application's shutdown hooks. The JDK starts them together with the agent's, and waits for
 * all of them. They may still be traced, so the agent ends after them.
 */
final class ApplicationHooks {

  /** The JDK starts all hooks before it waits for one. If a start fails, the rest never starts. */
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The JDK's own map. It does not change once the JVM is shutting down. */
  private final Map<?, ?> hooks;

  ApplicationHooks(Map<?, ?> hooks) {
    this.hooks = hooks;
  }

  /**
   * Those of this JVM, while it is not shutting down yet: then the JDK gives up its map.
   *
   * @return null if this JDK keeps them elsewhere
   */
  @SuppressWarnings("removal") // there is no other way on the JDKs that still have it
  static @Nullable ApplicationHooks find(Instrumentation instrumentation) {
    return AccessController.doPrivileged(
        new PrivilegedAction<@Nullable ApplicationHooks>() {
          @Override
          public @Nullable ApplicationHooks run() {
            try {
              return read(instrumentation);
            } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
              AgentLog.debug(
                  "shutdown hooks cannot be listed, so tracing ends while they run: " + e);
              return null;
            }
          }
        });
  }

  private static @Nullable ApplicationHooks read(Instrumentation instrumentation)
      throws ReflectiveOperationException {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.lang", Set.of(ApplicationHooks.class.getModule())),
        Set.of(),
        Map.of());
    Field field = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
    field.setAccessible(true);
    return field.get(null) instanceof Map<?, ?> map ? new ApplicationHooks(map) : null;
  }

  /** Whether one of them has still to end. */
  boolean areRunning() {
    for (Thread hook : others()) {
      if (!hasEnded(hook)) {
        return true;
      }
    }
    return false;
  }

  /** Waits until all have ended, for this long at most. For the agent's own hook. */
  void await(long patienceMillis) {
    long beganNanos = System.nanoTime();
    long patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    boolean interrupted = false;
    for (Thread hook : others()) {
      while (!hasEnded(hook)) {
        long waitedNanos = System.nanoTime() - beganNanos;
        boolean isStarted = hook.isAlive();
        if (waitedNanos >= (isStarted ? patienceNanos : Math.min(START_NANOS, patienceNanos))) {
          break;
        }
        try {
          if (isStarted) {
            TimeUnit.NANOSECONDS.timedJoin(hook, patienceNanos - waitedNanos);
          } else {
            Thread.sleep(1);
          }
        } catch (InterruptedException e) {
          interrupted = true; // an application may interrupt all threads at exit
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Thread> others() {
    List<Thread> others = new ArrayList<>();
    for (Object hook : hooks.keySet()) {
      if (hook instanceof Thread thread
          && thread != Thread.currentThread()
          && !AgentThreads.isOne(thread)) {
        others.add(thread);
      }
    }
    return others;
  }

  /** Not before it has started. */
  private static boolean hasEnded(Thread hook) {
    return !hook.isAlive() && hook.getState() == Thread.State.TERMINATED;
  }
}
