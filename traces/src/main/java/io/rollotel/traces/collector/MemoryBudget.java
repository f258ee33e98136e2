package io.rollotel.traces.collector;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The bytes of all requests that are being received: bounded, shared by all.
 *
 * <p>A request is let in while half of the bound is free, and takes more as it arrives. Where that
 * is too much for all, others give way: who has had nothing for a second, then the youngest. So the
 * oldest are finished, however many there are; and for a while no more are let in than there is
 * room for if all become as large as others were. Safe for use by several threads.
 */
final class MemoryBudget {

  /** For a request that does not say how large it is. */
  static final long UNKNOWN = -1;

  /**
   * A request waits for room so often, and so long each time; between, {@link #tidy} makes some.
   */
  static final int WAITS = 2;

  static final long WAIT_MILLIS = 1000;

  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS);
  private static final long TIGHT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long maxBytes;
  private final LongSupplier clockNanos;

  // Guarded by this.
  private final TreeMap<Long, Lease> arriving = new TreeMap<>(); // the oldest first
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private long leases;
  private long heldBytes; // by all leases that are not closed
  private long leavingBytes; // by those of them that were told to give way
  private long usualBytes; // of the largest lately
  private long tightUntilNanos;

  MemoryBudget(long maxBytes) {
    this(maxBytes, System::nanoTime);
  }

  /** For tests, with another clock. */
  MemoryBudget(long maxBytes, LongSupplier clockNanos) {
    this.maxBytes = maxBytes;
    this.clockNanos = clockNanos;
    tightUntilNanos = clockNanos.getAsLong();
  }

  /**
   * Lets a request in, now or as soon as there is room.
   *
   * @param expectedBytes how large it says that it is, or {@link #UNKNOWN}
   * @param mayWait whether it waits for room; where there is none and it does not, it is cancelled
   * @param giveWay is run, by any thread, where this request is to give way to others: it lets go
   *     of what has arrived, and closes the lease
   * @return is completed by any thread, never with a failure; to be {@linkplain #giveUp given up}
   *     after {@link #WAITS} times {@link #WAIT_MILLIS}
   */
  CompletableFuture<Lease> lease(long expectedBytes, boolean mayWait, Consumer<Lease> giveWay) {
    Waiting request = new Waiting(expectedBytes, giveWay, new CompletableFuture<>());
    tidy();
    List<Entry> entries;
    synchronized (this) {
      waiting.add(request);
      entries = enter();
      if (!mayWait && waiting.remove(request)) {
        request.given.cancel(false);
      }
    }
    entries.forEach(Entry::complete);
    return request.given;
  }

  /** Does not wait any more; false where the lease is there. */
  boolean giveUp(CompletableFuture<Lease> room) {
    synchronized (this) {
      waiting.removeIf(request -> request.given == room);
    }
    return room.cancel(false);
  }

  /** Lets those go that have had nothing for a while, where others need the room. */
  void tidy() {
    List<Lease> leaving;
    List<Entry> entries;
    synchronized (this) {
      leaving = isFull() ? idle() : List.of();
      entries = enter();
    }
    leaving.forEach(Lease::giveWay);
    entries.forEach(Entry::complete);
  }

  /** Lets in those that have waited longest, while there is room. */
  private List<Entry> enter() {
    List<Entry> entries = new ArrayList<>();
    for (Waiting next = waiting.peek(); next != null && !isFull(); next = waiting.peek()) {
      long expected = expected(next.expectedBytes);
      if (heldBytes > 0 && heldBytes + expected > maxBytes) {
        break; // it would have to give way at once; those behind it are to leave room for it
      }
      waiting.remove();
      Lease lease = new Lease(++leases, expected, next.giveWay);
      arriving.put(lease.number, lease);
      heldBytes += lease.bytes;
      entries.add(new Entry(next, lease));
    }
    return entries;
  }

  private record Waiting(
      long expectedBytes, Consumer<Lease> giveWay, CompletableFuture<Lease> given) {}

  private record Entry(Waiting request, Lease lease) {

    /** Not under the lock: it runs what waits. */
    void complete() {
      if (!request.given.complete(lease)) {
        lease.close();
      }
    }
  }

  private boolean isFull() {
    return heldBytes >= maxBytes / 2;
  }

  private long expected(long bytes) {
    if (bytes != UNKNOWN) {
      return bytes;
    }
    return clockNanos.getAsLong() - tightUntilNanos < 0 ? usualBytes : 0;
  }

  /**
   * Takes from those that are slow what they have not used yet, and gives those that have had
   * nothing for a while.
   */
  private List<Lease> idle() {
    long nowNanos = clockNanos.getAsLong();
    List<Lease> idle = new ArrayList<>();
    for (Iterator<Lease> all = arriving.values().iterator(); all.hasNext(); ) {
      Lease lease = all.next();
      if (nowNanos - lease.sinceNanos > IDLE_NANOS) {
        heldBytes -= lease.bytes - lease.arrivedBytes;
        lease.bytes = lease.arrivedBytes;
      }
      if (lease.bytes != 0 && nowNanos - lease.grownNanos > IDLE_NANOS) {
        all.remove();
        lease.leave();
        idle.add(lease);
      }
    }
    return idle;
  }

  private List<Lease> tooMany() {
    tightUntilNanos = clockNanos.getAsLong() + TIGHT_NANOS;
    List<Lease> leaving = idle();
    Iterator<Lease> youngest = arriving.descendingMap().values().iterator();
    while (heldBytes - leavingBytes > maxBytes && youngest.hasNext()) {
      Lease lease = youngest.next();
      if (lease.bytes != 0) {
        youngest.remove();
        lease.leave();
        leaving.add(lease);
      }
    }
    return leaving;
  }

  /** What all requests have that are being received. */
  synchronized long heldBytes() {
    return heldBytes;
  }

  Refusal overloaded() {
    return new Refusal(
        Refusal.Reason.OVERLOADED,
        "requests of " + maxBytes + " bytes are in flight already: try again later");
  }

  /** What one request has of the budget until it is closed. */
  final class Lease implements AutoCloseable {

    private final long number;
    private final Consumer<Lease> giveWay;
    private final long sinceNanos = clockNanos.getAsLong();

    // Guarded by the budget.
    private long bytes;
    private long arrivedBytes;
    private long grownNanos = sinceNanos;
    private boolean isLeaving;
    private boolean isClosed;

    private Lease(long number, long expectedBytes, Consumer<Lease> giveWay) {
      this.number = number;
      this.bytes = expectedBytes;
      this.giveWay = giveWay;
    }

    private void giveWay() {
      giveWay.accept(this);
    }

    private void leave() {
      isLeaving = true;
      leavingBytes += bytes;
    }

    /** Counts what has arrived; false where this request has to give way. */
    boolean add(long more) {
      List<Lease> leaving = List.of();
      List<Entry> entries = List.of();
      boolean isToLeave;
      synchronized (MemoryBudget.this) {
        if (!isClosed && !isLeaving) {
          grownNanos = clockNanos.getAsLong();
          arrivedBytes += more;
          heldBytes += Math.max(0, arrivedBytes - bytes);
          bytes = Math.max(bytes, arrivedBytes);
          usualBytes = Math.max(usualBytes, arrivedBytes);
          if (heldBytes - leavingBytes > maxBytes) {
            leaving = tooMany();
            entries = enter();
          }
        }
        isToLeave = isLeaving;
      }
      leaving.forEach(Lease::giveWay);
      entries.forEach(Entry::complete);
      return !isToLeave;
    }

    /** The request is complete: it does not give way any more, unless it is told so already. */
    boolean complete() {
      synchronized (MemoryBudget.this) {
        arriving.remove(number);
        usualBytes = Math.max(arrivedBytes, usualBytes - usualBytes / 8);
        return !isLeaving;
      }
    }

    @Override
    public void close() {
      List<Entry> entries;
      synchronized (MemoryBudget.this) {
        if (isClosed) {
          return;
        }
        isClosed = true;
        arriving.remove(number);
        heldBytes -= bytes;
        leavingBytes -= isLeaving ? bytes : 0;
        entries = enter();
      }
      entries.forEach(Entry::complete);
    }
  }
}
