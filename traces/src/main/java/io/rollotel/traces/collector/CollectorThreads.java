package io.rollotel.traces.collector;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that serve requests: two, and more while requests are slow to arrive.
 *
 * <p>The server reads with blocking calls and without a timeout: a peer that is stopped, or cut off
 * by the network, in the middle of its request would hold a thread for ever. So when new work
 * arrives, a thread that has been busy for too long is interrupted, which closes its connection.
 * {@link RequestWriter} and {@link MemoryBudget} bound memory and parallel work; these threads
 * mostly wait.
 */
final class CollectorThreads extends ThreadPoolExecutor {

  private static final int KEPT_THREADS = 2;
  private static final long IDLE_SECONDS = 10;

  /**
   * How long a request that was refused for its sender may still occupy a thread that others want.
   */
  private static final long HURRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long patienceNanos;
  private final AtomicInteger unfinished = new AtomicInteger();
  private final AtomicBoolean isWatched = new AtomicBoolean();
  private final Map<Thread, Long> busySinceNanos = new HashMap<>(); // guarded by itself

  /**
   * As many requests may wait as are served at once; beyond that the server closes the connection.
   *
   * @param refused told of each of those
   */
  CollectorThreads(int maxThreads, long patienceMillis, ThreadFactory factory, Runnable refused) {
    super(
        Math.min(KEPT_THREADS, maxThreads),
        maxThreads,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new Waiting(),
        factory);
    ((Waiting) getQueue()).threads = this;
    // The queue has refused in favour of a thread that cannot be had.
    setRejectedExecutionHandler(
        (task, pool) -> {
          if (pool.isShutdown()) {
            throw new RejectedExecutionException("closed");
          }
          if (pool.getQueue().size() >= maxThreads) {
            refused.run();
            throw new RejectedExecutionException("too many wait");
          }
          ((Waiting) pool.getQueue()).put(task);
          watch(); // which ends where it finds none that waits
        });
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
  }

  @Override
  public void execute(Runnable task) {
    endStalled();
    unfinished.incrementAndGet();
    try {
      super.execute(task);
    } catch (RejectedExecutionException | Error e) {
      unfinished.decrementAndGet();
      throw e;
    }
  }

  /** Has the calling thread's task end in a second or two, where others wait for a thread. */
  void hurry() {
    long sinceNanos = System.nanoTime() - patienceNanos + HURRY_NANOS;
    synchronized (busySinceNanos) {
      busySinceNanos.computeIfPresent(
          Thread.currentThread(), (thread, since) -> sinceNanos - since < 0 ? sinceNanos : since);
    }
  }

  private void endStalled() {
    long nowNanos = System.nanoTime();
    synchronized (busySinceNanos) {
      busySinceNanos.forEach(
          (thread, sinceNanos) -> {
            if (nowNanos - sinceNanos >= patienceNanos) {
              thread.interrupt();
            }
          });
    }
  }

  /** While tasks wait for a thread, none is to stall for longer than the patience. */
  private void watch() {
    if (!isWatched.compareAndSet(false, true)) {
      return;
    }
    try {
      getThreadFactory().newThread(this::endStalledWhileOthersWait).start();
    } catch (OutOfMemoryError noThreadLeft) {
      isWatched.set(false); // the next task that waits tries again
    }
  }

  private void endStalledWhileOthersWait() {
    try {
      while (!getQueue().isEmpty() && !isTerminated()) {
        endStalled();
        TimeUnit.NANOSECONDS.sleep(Math.max(Math.min(patienceNanos / 8, HURRY_NANOS), 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      isWatched.set(false);
      if (!getQueue().isEmpty() && !isTerminated()) {
        watch(); // for one that has come in this moment
      }
    }
  }

  @Override
  protected void beforeExecute(Thread thread, Runnable task) {
    synchronized (busySinceNanos) {
      busySinceNanos.put(thread, System.nanoTime());
    }
  }

  @Override
  protected void afterExecute(Runnable task, @Nullable Throwable failure) {
    unfinished.decrementAndGet();
    synchronized (busySinceNanos) {
      busySinceNanos.remove(Thread.currentThread());
      Thread.interrupted(); // one that came late must not meet the next request
    }
  }

  /**
   * Takes a task only where a thread will soon be free for it; otherwise another thread is made.
   */
  private static final class Waiting extends LinkedBlockingQueue<Runnable> {

    private static final long serialVersionUID = 1L;

    private transient @Nullable CollectorThreads threads;

    @Override
    public boolean offer(Runnable task) {
      CollectorThreads pool = threads;
      return (pool == null || pool.unfinished.get() <= pool.getPoolSize()) && super.offer(task);
    }

    @Override
    public void put(Runnable task) {
      super.offer(task); // without bound, so it is taken
    }
  }
}
