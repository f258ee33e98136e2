package io.rollotel.traces.collector;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for requests that are being received: bounded, shared by all. Safe for use by several
 * threads.
 *
 * <p>A request that says how large it is reserves all of that before it is read, so it can always
 * become complete. One that does not say so reserves as much as others have had lately, and more as
 * it arrives. Where there is no room, one such request at a time may exceed the bound, so one can
 * always become complete; all others are refused at once.
 */
final class MemoryBudget {

  /** How long a request that says how large it is waits for room before it is refused. */
  static final long WAIT_MILLIS = 2000;

  private static final int UNIT_BYTES = 1 << 10;

  private final int units;
  private final long waitMillis;
  private final Semaphore free; // in units; fair, or small requests would overtake large ones
  private final Semaphore excess = new Semaphore(1);
  private final long maxExcessBytes;
  private final AtomicLong usualBytes = new AtomicLong(); // of requests of unknown size
  private volatile boolean isClosed;

  /**
   * A budget, all of it free.
   *
   * @param maxBytes of all requests
   * @param maxRequestBytes of the one that may exceed the bound; with what its pieces cost beside
   *     their bytes, it may have twice as much
   * @param waitMillis how long a request of known size waits for room
   */
  MemoryBudget(long maxBytes, int maxRequestBytes, long waitMillis) {
    this.waitMillis = waitMillis;
    units = units(maxBytes);
    free = new Semaphore(units, true);
    maxExcessBytes = 2L * maxRequestBytes;
  }

  /** One at least: {@link #close} waits for whoever holds one. */
  private static int units(long bytes) {
    return (int) Math.max(1, (bytes + UNIT_BYTES - 1) / UNIT_BYTES);
  }

  /** Admits a request of this size, for which it waits a while. */
  Reservation reserve(long bytes) throws Refusal {
    if (!acquire(units(bytes), waitMillis)) {
      throw refusal();
    }
    return new Reservation(true, units(bytes), false);
  }

  /** Whether there was room within a time, without overtaking those who wait. */
  private boolean acquire(int wanted, long patienceMillis) {
    try {
      if (isClosed || !free.tryAcquire(wanted, patienceMillis, TimeUnit.MILLISECONDS)) {
        return false;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    if (isClosed) { // while it waited
      free.release(wanted);
      return false;
    }
    return true;
  }

  /**
   * Admits a request of unknown size, now or not at all. If all were admitted whose first bytes
   * find room, none of a hundred large ones would become complete.
   */
  Reservation reserve() throws Refusal {
    int usual = units(usualBytes.get());
    if (acquire(usual, 0)) {
      return new Reservation(false, usual, false);
    }
    if (isClosed || !excess.tryAcquire()) {
      throw refusal();
    }
    return new Reservation(false, 0, true);
  }

  /** Why a request is not admitted, or not received any further. */
  Refusal refusal() {
    return isClosed
        ? new Refusal(Refusal.Reason.STOPPING, "the collector is shutting down")
        : new Refusal(
            Refusal.Reason.OVERLOADED, "too many bytes are in flight already: try again later");
  }

  /** Admits no more requests and waits until those that were admitted are closed. */
  void close(long patienceMillis) {
    isClosed = true;
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    try {
      if (free.tryAcquire(units, patienceMillis, TimeUnit.MILLISECONDS)) {
        free.release(units);
      }
      if (excess.tryAcquire(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        excess.release();
      }
    } catch (InterruptedException e) {
      // The interrupt is the caller's; to close without patience is right then.
      Thread.currentThread().interrupt();
    }
  }

  /** What one request has of the budget, until it is closed. */
  final class Reservation implements AutoCloseable {

    private final boolean isSizeKnown;

    // Guarded by this.
    private int held;
    private boolean isExcess;
    private long arrivedBytes;
    private boolean isRefused;
    private boolean isClosed;

    private Reservation(boolean isSizeKnown, int held, boolean isExcess) {
      this.isSizeKnown = isSizeKnown;
      this.held = held;
      this.isExcess = isExcess;
    }

    /** Counts bytes that have arrived; false where there is no room: refuse the request. */
    synchronized boolean add(long bytes) {
      arrivedBytes += bytes;
      int missing = units(arrivedBytes) - held;
      if (isClosed || missing <= 0) {
        return true;
      }
      usualBytes.accumulateAndGet(arrivedBytes, Math::max);
      // It overtakes those who wait: what it holds already helps nobody until it is complete.
      if (!isExcess && free.tryAcquire(missing)) {
        held += missing;
        return true;
      }
      isExcess = isExcess || excess.tryAcquire();
      isRefused = !isExcess || arrivedBytes > maxExcessBytes;
      return !isRefused;
    }

    /** Gives the room back; closed again, it has no effect. */
    @Override
    public synchronized void close() {
      if (!isClosed && !isRefused && !isSizeKnown && arrivedBytes > 0) {
        usualBytes.updateAndGet(usual -> usual - Math.max(0, usual - arrivedBytes) / 8);
      }
      isClosed = true;
      free.release(held);
      held = 0;
      if (isExcess) {
        isExcess = false;
        excess.release();
      }
    }
  }
}
