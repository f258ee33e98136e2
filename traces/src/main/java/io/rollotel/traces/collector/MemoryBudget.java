package io.rollotel.traces.collector;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes of all requests that are being received: bounded, shared by all. */
final class MemoryBudget {

  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();

  MemoryBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The share of one request. */
  Lease lease() {
    return new Lease();
  }

  long bytes() {
    return bytes.get();
  }

  /** What one request has of the budget until it is closed; for use by one thread at a time. */
  final class Lease implements AutoCloseable {

    private long held;
    private boolean isClosed;

    private Lease() {}

    /** Takes more; false where there is not so much left. */
    synchronized boolean tryAdd(long more) {
      if (isClosed) {
        return false;
      }
      if (bytes.addAndGet(more) > maxBytes) {
        bytes.addAndGet(-more);
        return false;
      }
      held += more;
      return true;
    }

    /** Takes more. */
    void add(long more) throws Refusal {
      if (!tryAdd(more)) {
        throw overloaded();
      }
    }

    /** Takes what is there already; false where that is more than was left. */
    synchronized boolean addArrived(long more) {
      if (isClosed) {
        return true;
      }
      held += more;
      return bytes.addAndGet(more) <= maxBytes;
    }

    /**
     * Takes what a compressed request has grown to, beyond the bytes that arrived; false where that
     * is more than was left.
     */
    synchronized boolean addDecompressed(long length) {
      return length <= held || addArrived(length - held);
    }

    @Override
    public synchronized void close() {
      isClosed = true;
      bytes.addAndGet(-held);
      held = 0;
    }
  }

  Refusal overloaded() {
    return new Refusal(
        Refusal.Reason.OVERLOADED,
        "requests of " + maxBytes + " bytes are in flight already: try again later");
  }
}
