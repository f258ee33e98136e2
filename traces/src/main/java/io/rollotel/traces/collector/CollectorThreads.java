package io.rollotel.traces.collector;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The few threads that serve requests.
 *
 * <p>The server reads with blocking calls and without a timeout: a peer that is stopped, or cut off
 * by the network, in the middle of its request would hold a thread for ever. So when new work
 * arrives, a thread that has been busy for too long is interrupted, which closes its connection.
 */
final class CollectorThreads extends ThreadPoolExecutor {

  private final long patienceNanos;
  private final Map<Thread, Long> busySinceNanos = new HashMap<>(); // guarded by itself

  CollectorThreads(int threads, long patienceMillis, ThreadFactory factory) {
    super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
  }

  @Override
  public void execute(Runnable task) {
    long nowNanos = System.nanoTime();
    synchronized (busySinceNanos) {
      busySinceNanos.forEach(
          (thread, sinceNanos) -> {
            if (nowNanos - sinceNanos >= patienceNanos) {
              thread.interrupt();
            }
          });
    }
    super.execute(task);
  }

  @Override
  protected void beforeExecute(Thread thread, Runnable task) {
    synchronized (busySinceNanos) {
      busySinceNanos.put(thread, System.nanoTime());
    }
  }

  @Override
  protected void afterExecute(Runnable task, @Nullable Throwable failure) {
    synchronized (busySinceNanos) {
      busySinceNanos.remove(Thread.currentThread());
      Thread.interrupted(); // one that came late must not meet the next request
    }
  }
}
