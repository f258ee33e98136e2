package io.rollotel.agent.background;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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
        new PausingPool(
            task -> {
              Thread made = make("roll-otel-send", task);
              made.setDaemon(true);
              return made;
            });
  }

  /** Does not ask the system for a thread again at once after it has had none. */
  static class PausingPool extends ThreadPoolExecutor {

    /** The first pause; they double. */
    static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_DOUBLINGS = 5;

    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private volatile long untilNanos;

    PausingPool(ThreadFactory threads) {
      super(0, Integer.MAX_VALUE, 3, TimeUnit.SECONDS, new SynchronousQueue<>());
      setThreadFactory(
          task -> {
            if (isPausing()) {
              throw new OutOfMemoryError("the system had no thread left a short while ago");
            }
            Thread thread = threads.newThread(task);
            made.incrementAndGet();
            return thread;
          });
    }

    /** The clock of the pauses. */
    long nanoTime() {
      return System.nanoTime();
    }

    private boolean isPausing() {
      return failures.get() != 0 && nanoTime() - untilNanos < 0;
    }

    /** Each attempt in vain costs two lines that the JVM prints. Idle threads are used as ever. */
    @Override
    public void execute(Runnable task) {
      boolean wasPausing = isPausing();
      int madeBefore = made.get();
      try {
        super.execute(task);
      } catch (OutOfMemoryError e) {
        if (!wasPausing) {
          int before = Math.min(failures.getAndIncrement(), MOST_DOUBLINGS);
          untilNanos = nanoTime() + (LEAST_NANOS << before);
        }
        throw e;
      }
      if (made.get() != madeBefore) { // an idle thread says nothing about the system
        failures.set(0);
      }
    }
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
