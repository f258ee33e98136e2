package io.rollotel.agent.background;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The agent's threads. None keeps the JVM alive, and none keeps references of the thread that
 * started it.
 */
public final class AgentThreads {

  private AgentThreads() {}

  private static final class AgentThread extends Thread {
    AgentThread(Runnable work, String name) {
      super(null, work, name, 0, false);
    }
  }

  /**
   * Runs work that leaves thread locals of the SDK behind, such as marshalling. Idle threads end
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
   * A thread that keeps nothing of the code that happens to start it: no thread locals, no context
   * class loader, and no access control context, in which the JDK would keep the caller's classes.
   */
  @SuppressWarnings("removal") // there is no other way on the JDKs that still have it
  public static Thread make(String name, Runnable work) {
    return AccessController.doPrivileged(
        // No lambda here, on the path of every first call: the JDK generates a class for each.
        new PrivilegedAction<Thread>() {
          @Override
          public Thread run() {
            Thread made = new AgentThread(work, name);
            made.setContextClassLoader(null);
            return made;
          }
        });
  }

  /** Whether the calling thread is one of the agent's. */
  public static boolean isCurrent() {
    return isOne(Thread.currentThread());
  }

  /** Whether this is one of the agent's. */
  public static boolean isOne(Thread thread) {
    return thread instanceof AgentThread;
  }

  /** Short-lived daemon threads, shared by all copies of the SDK. */
  public static ExecutorService passing() {
    return Passing.THREADS;
  }
}
