package io.rollotel.agent.background;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The agent's threads. None keeps the JVM alive, and none holds what its starter had. */
public final class AgentThreads {

  private AgentThreads() {}

  /**
   * Runs work, such as marshalling, that leaves the SDK's thread locals behind. Idle threads end
   * after three seconds, and the thread locals with them.
   */
  private static final class Passing {
    static final ExecutorService THREADS =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            3,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread made = make("roll-otel-send", task);
              made.setDaemon(true);
              return made;
            });
  }

  /**
   * A thread that holds nothing of whoever happens to start it: no thread locals, no context class
   * loader, and no access control context, in which the JDK would keep the caller's classes.
   */
  @SuppressWarnings("removal") // there is no other way on the JDKs that still have it
  public static Thread make(String name, Runnable work) {
    return AccessController.doPrivileged(
        // No lambda where every first call comes by: the JDK makes a class for each.
        new PrivilegedAction<Thread>() {
          @Override
          public Thread run() {
            Thread made = new Thread(null, work, name, 0, false);
            made.setContextClassLoader(null);
            return made;
          }
        });
  }

  /** Short-lived daemon threads, shared by all copies of the SDK. */
  public static ExecutorService passing() {
    return Passing.THREADS;
  }
}
