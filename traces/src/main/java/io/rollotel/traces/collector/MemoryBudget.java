package io.rollotel.traces.collector;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The memory for requests that are being received: bounded, and shared by all. Safe for use by
 * several threads. Only the closing thread ever waits.
 *
 * <p>A request of known size reserves all of it before it is read, so it can always become
 * complete. A request of unknown size reserves as much as recent ones took, and more as it arrives.
 * If there is no room, one such request at a time may exceed the bound, so one can always become
 * complete; all others are refused at once.
 */
final class MemoryBudget {

  private final long maxBytes;
  private final long maxExcessBytes;

  // Guarded by this.
  private long freeBytes;
  private boolean isExcessTaken;
  private long usualBytes; // of requests of unknown size
  private boolean isClosed;
  // In the order of arrival, otherwise small requests would overtake large ones.
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  private record Waiting(long bytes, CompletableFuture<Reservation> admission) {}

  /**
   * A free budget.
   *
   * @param maxBytes of all requests
   * @param maxRequestBytes of the one that may exceed the bound; with the overhead of its pieces,
   *     it may take twice as much
   */
  MemoryBudget(long maxBytes, int maxRequestBytes) {
    this.maxBytes = maxBytes;
    freeBytes = maxBytes;
    maxExcessBytes = 2L * maxRequestBytes;
  }

  /**
   * Admits a request of this size as soon as there is room, on the thread that frees it. Callers
   * that stop waiting end the admission with an exception.
   */
  CompletableFuture<Reservation> reserve(long bytes) {
    CompletableFuture<Reservation> admission = new CompletableFuture<>();
    CompletableFuture<Reservation> unused =
        admission.whenComplete(
            (room, refusal) -> {
              if (refusal != null) {
                admitWaiting(); // the requests that wait behind one that has given up
              }
            });
    synchronized (this) {
      if (!isClosed) {
        // At least one byte: closing the budget waits for all holders.
        waiting.add(new Waiting(Math.max(1, bytes), admission));
      }
    }
    admitWaiting();
    if (isClosed()) {
      admission.completeExceptionally(refusal());
    }
    return admission;
  }

  private void admitWaiting() {
    List<Runnable> admitted = new ArrayList<>();
    synchronized (this) {
      for (Waiting first = waiting.peek(); first != null; first = waiting.peek()) {
        CompletableFuture<Reservation> admission = first.admission();
        if (!admission.isDone()) {
          if (first.bytes() > freeBytes) {
            break;
          }
          freeBytes -= first.bytes();
          Reservation room = new Reservation(true, first.bytes(), false);
          admitted.add(
              () -> {
                if (!admission.complete(room)) {
                  room.close();
                }
              });
        }
        waiting.remove();
      }
    }
    admitted.forEach(Runnable::run); // without the lock, because this runs foreign code
  }

  /**
   * Admits a request of unknown size, now or never. If all requests were admitted whose first bytes
   * fit, none of a hundred large ones would become complete.
   */
  synchronized Reservation reserve() throws Refusal {
    long usual = Math.max(1, usualBytes);
    if (!isClosed && waiting.isEmpty() && usual <= freeBytes) {
      freeBytes -= usual;
      return new Reservation(false, usual, false);
    }
    if (isClosed || isExcessTaken) {
      throw refusal();
    }
    isExcessTaken = true;
    return new Reservation(false, 0, true);
  }

  private synchronized boolean isClosed() {
    return isClosed;
  }

  /** Why a request is not admitted, or not received any further. */
  Refusal refusal() {
    return isClosed()
        ? new Refusal(Refusal.Reason.STOPPING, "the collector is shutting down")
        : new Refusal(
            Refusal.Reason.OVERLOADED, "too many bytes are in flight already: try again later");
  }

  /** Admits no more requests, and waits until the admitted ones are closed. */
  void close(long patienceMillis) {
    List<Waiting> refused;
    synchronized (this) {
      isClosed = true;
      refused = new ArrayList<>(waiting);
      waiting.clear();
    }
    refused.forEach(one -> one.admission().completeExceptionally(refusal()));
    try {
      awaitAllFree(patienceMillis);
    } catch (InterruptedException e) {
      // The interrupt is for the caller; then closing without waiting is right.
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void awaitAllFree(long patienceMillis) throws InterruptedException {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    while (freeBytes < maxBytes || isExcessTaken) {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
      if (leftMillis <= 0) {
        return;
      }
      wait(leftMillis);
    }
  }

  /** One request's share of the budget, until it is closed. */
  final class Reservation implements AutoCloseable {

    private final boolean isSizeKnown;

    // Guarded by the budget.
    private long heldBytes;
    private boolean isExcess;
    private long arrivedBytes;
    private boolean isRefused;
    private boolean isGivenBack;

    private Reservation(boolean isSizeKnown, long heldBytes, boolean isExcess) {
      this.isSizeKnown = isSizeKnown;
      this.heldBytes = heldBytes;
      this.isExcess = isExcess;
    }

    /** Counts bytes that have arrived; false if there is no room: then refuse the request. */
    boolean add(long bytes) {
      synchronized (MemoryBudget.this) {
        arrivedBytes += bytes;
        long missing = arrivedBytes - heldBytes;
        if (isGivenBack || missing <= 0) {
          return true;
        }
        usualBytes = Math.max(usualBytes, arrivedBytes);
        // It overtakes waiting requests: the memory it already holds is useless until it is
        // complete.
        if (!isExcess && missing <= freeBytes) {
          freeBytes -= missing;
          heldBytes += missing;
          return true;
        }
        if (!isExcess && !isExcessTaken) {
          isExcess = true;
          isExcessTaken = true;
        }
        isRefused = !isExcess || arrivedBytes > maxExcessBytes;
        return !isRefused;
      }
    }

    /** Releases the share; a second call has no effect. */
    @Override
    public void close() {
      synchronized (MemoryBudget.this) {
        if (!isGivenBack && !isRefused && !isSizeKnown && arrivedBytes > 0) {
          usualBytes -= Math.max(0, usualBytes - arrivedBytes) / 8;
        }
        isGivenBack = true;
        freeBytes += heldBytes;
        heldBytes = 0;
        if (isExcess) {
          isExcess = false;
          isExcessTaken = false;
        }
        MemoryBudget.this.notifyAll();
      }
      admitWaiting();
    }
  }
}
