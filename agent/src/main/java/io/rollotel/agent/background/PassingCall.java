package io.rollotel.agent.background;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Code that may never return, such as an application's exporter: it runs on a passing thread, and
 * its caller waits for a bounded time. A caller that asks {@link #isStuck} before the next call
 * loses one thread at most.
 */
public final class PassingCall<T extends @Nullable Object> implements Callable<T> {

  /** The time between two calls of {@code meanwhile}. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

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
   * @throws TimeoutException if it takes longer; the call itself continues
   */
  public T get(long patienceNanos)
      throws ExecutionException, InterruptedException, TimeoutException {
    return AgentThreads.passing().submit(this).get(patienceNanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Starts it and waits for its result. An interrupt is delivered afterwards.
   *
   * @param meanwhile runs first, then periodically, and whenever the calling thread is woken
   * @throws TimeoutException if it takes longer; the call itself continues
   */
  public T get(long patienceNanos, Runnable meanwhile) throws ExecutionException, TimeoutException {
    Thread caller = Thread.currentThread();
    FutureTask<T> result =
        new FutureTask<>(this) {
          @Override
          protected void done() {
            LockSupport.unpark(caller);
          }
        };
    try {
      AgentThreads.passing().execute(result);
    } catch (OutOfMemoryError noThread) {
      throw new ExecutionException(noThread);
    }
    long deadlineNanos = System.nanoTime() + patienceNanos;
    boolean interrupted = false;
    try {
      while (!result.isDone() && System.nanoTime() - deadlineNanos < 0) {
        meanwhile.run();
        if (!result.isDone()) {
          LockSupport.parkNanos(this, LOOK_NANOS);
          interrupted |= Thread.interrupted();
        }
      }
      return result.get(0, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
      throw new ExecutionException(e);
    } finally {
      if (interrupted) {
        caller.interrupt();
      }
    }
  }

  /** Whether it still runs. A thread that died of an error does not. */
  public boolean isStuck() {
    Thread running = thread;
    return running != null && running.isAlive();
  }
}
