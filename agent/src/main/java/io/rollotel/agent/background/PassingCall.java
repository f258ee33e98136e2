package io.rollotel.agent.background;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Code that may never return, such as an application's exporter: it runs on a passing thread, and
 * its caller waits for a bounded time. A caller that asks {@link #isStuck} before the next call
 * loses one thread at most.
 */
public final class PassingCall<T> implements Callable<T> {

  private final Callable<T> work;
  private volatile @Nullable Thread thread; // null unless it runs

  public PassingCall(Callable<T> work) {
    this.work = work;
  }

  @Override
  public T call() throws Exception {
    thread = Thread.currentThread();
    try {
      return work.call();
    } finally {
      thread = null;
    }
  }

  /**
   * Starts it and waits for its result.
   *
   * @throws TimeoutException if it takes longer; it goes on
   */
  public T get(long patienceNanos)
      throws ExecutionException, InterruptedException, TimeoutException {
    return AgentThreads.passing().submit(this).get(patienceNanos, TimeUnit.NANOSECONDS);
  }

  /** Whether it still runs. A thread that died of an error does not. */
  public boolean isStuck() {
    Thread running = thread;
    return running != null && running.isAlive();
  }
}
