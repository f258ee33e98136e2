package io.rollotel.examples.cartpole;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Waits for a lock for as long again as the call has taken: another thread takes the lock before,
 * and holds it that long.
 */
final class SlownessByLock implements Slowness {
  private final Index index = new Index();
  private final LinkedBlockingQueue<Turn> turns = new LinkedBlockingQueue<>();

  SlownessByLock() {
    Thread holder = new Thread(this::holdForAll, "index-rebuild");
    holder.setDaemon(true);
    holder.start();
  }

  @Override
  public void prolong(long tookNanos) {
    Turn turn = new Turn(tookNanos, new CountDownLatch(1));
    turns.add(turn);
    try {
      turn.isHeld.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (index) {
      assert Thread.holdsLock(index) : "what the lock protects would be here";
    }
  }

  private void holdForAll() {
    try {
      while (true) {
        rebuildIndex(turns.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Named like a method that might take this long in a real program with such a lock. */
  private void rebuildIndex(Turn turn) throws InterruptedException {
    synchronized (index) {
      long until = System.nanoTime() + turn.nanos;
      turn.isHeld.countDown();
      for (long left = turn.nanos; left > 0; left = until - System.nanoTime()) {
        // A wait would release the lock, a sleep keeps it.
        Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
      }
    }
  }

  /** How long the lock is to be held, and whether it is. */
  private record Turn(long nanos, CountDownLatch isHeld) {}

  /** Gives the lock a name in the report. */
  private static final class Index {}
}
