package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;

/**
 * The spans that have left the queue and have not arrived: a batch that is being exported, and
 * meanwhile one that goes into the process's own file. A batch stays here until each of its spans
 * has arrived or was counted as lost, so that a lack of memory on the way costs none.
 *
 * <p>For the export thread, except where other threads are named.
 */
final class SpansInFlight {

  /** How often a batch is tried that finds no memory. */
  private static final int MAX_FAILURES = 10;

  private final SpanQueue queue;
  private final FallbackExporter exporter;
  private final Delivery delivery;
  private final LostSpans lost;

  /** The lock of the processor, which guards what follows. */
  private final Object lock;

  /** Everything has been kept for the last time; changed under the lock. */
  private volatile boolean closed;

  private List<SpanData> exporting = List.of();
  private boolean isKept;
  private boolean isKeepingTried;

  /** Attempts to export for which there was no memory. */
  private int exportFailures;

  /** On its way into the own file while an answer is awaited; not empty if memory was short. */
  private List<SpanData> spilling = List.of();

  private int spillFailures;

  /**
   * None yet.
   *
   * @param lock that of the processor, which closes this on another thread
   */
  SpansInFlight(
      SpanQueue queue, FallbackExporter exporter, Delivery delivery, LostSpans lost, Object lock) {
    this.queue = queue;
    this.exporter = exporter;
    this.delivery = delivery;
    this.lost = lost;
    this.lock = lock;
  }

  /** How many spans wait to be exported again. */
  int heldBack() {
    return exporting.size();
  }

  boolean isEmpty() {
    return exporting.isEmpty() && spilling.isEmpty();
  }

  /**
   * The next batch to {@link #send}. One that was not accepted last time comes first. None once
   * this is closed, because the closing thread then takes everything.
   */
  List<SpanData> take() {
    synchronized (lock) {
      if (closed) {
        return List.of();
      }
      if (exporting.isEmpty()) {
        exporting = queue.poll();
        isKept = false;
        isKeepingTried = false;
        exportFailures = 0;
        delivery.countByName(exporting);
      }
      return exporting;
    }
  }

  /**
   * Exports the batch that was taken.
   *
   * @param meanwhile is called while an answer is awaited
   * @return false if spans are held back, which ends the round
   */
  boolean send(List<SpanData> batch, Runnable meanwhile) {
    delivery.followLimit(queue.size());
    return settle(deliver(batch, meanwhile));
  }

  private Outcome deliver(List<SpanData> batch, Runnable meanwhile) {
    try {
      return delivery.deliver(batch, meanwhile);
    } catch (OutOfMemoryError e) {
      return ++exportFailures < MAX_FAILURES ? Outcome.held(batch) : delivery.oneByOne(batch);
    }
  }

  /** Counts the outcome of the batch, unless {@link #close} has counted it. */
  private boolean settle(Outcome outcome) {
    synchronized (lock) {
      if (closed) {
        return true;
      }
      if (isKept) {
        exporting = List.of(); // counted when it was kept
      } else {
        exporting = outcome.held(); // first: memory may be too short for the rest
        delivery.count(outcome);
      }
      return exporting.isEmpty();
    }
  }

  /**
   * While an answer is awaited, moves spans to the own file if there will soon be no room for them.
   */
  void overflow() {
    if (!queue.isHigh()) {
      return;
    }
    // As many as there are now: answers that have arrived must be handled eventually.
    for (int left = queue.size(); left > 0 && !queue.isLow(); ) {
      // Under the lock, so that nothing is in this thread's hands when the JVM ends.
      synchronized (lock) {
        // The batch being exported is older still. It may arrive nevertheless: readers recognise
        // duplicates by their ids.
        if (!closed && !exporting.isEmpty() && !isKeepingTried && queue.isSetByRecorder()) {
          isKeepingTried = true; // only once, otherwise the file would get it again
          Outcome early = exporter.toOwnFile(exporting);
          // Spans that the file does not take are still in flight, and are not counted yet.
          if (early.kept().size() == exporting.size()) {
            delivery.count(early);
            isKept = true;
          }
        }
        int kept = closed ? 0 : spill();
        if (kept == 0) {
          return;
        }
        left -= kept;
      }
    }
  }

  /** Continues with a batch for the own file for which there was no memory. */
  void spillAgain() {
    synchronized (lock) {
      if (!closed && !spilling.isEmpty()) {
        spill();
      }
    }
  }

  /**
   * Writes a batch to the own file. If memory is short, the next call continues with it.
   *
   * @return how many spans; 0 if not all of them went there
   */
  private int spill() {
    if (spilling.isEmpty()) {
      spilling = queue.poll();
      spillFailures = 0;
      delivery.countByName(spilling);
      delivery.followLimit(queue.size());
    }
    List<SpanData> batch = spilling;
    if (batch.isEmpty()) {
      return 0;
    }
    Outcome outcome;
    try {
      outcome = spillFailures < MAX_FAILURES ? exporter.toOwnFile(batch) : delivery.oneByOne(batch);
    } catch (OutOfMemoryError e) {
      spillFailures++;
      return 0;
    }
    spilling = List.of();
    delivery.count(outcome);
    lost.drop(outcome.held().size());
    return outcome.kept().size() == batch.size() ? batch.size() : 0;
  }

  /** Any thread. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Writes what is in flight to the own file for the last time. Later spans go there directly:
   * {@link #keepQueue}. Any thread, under the lock; may be called again.
   */
  void close() {
    // What is being exported may arrive nevertheless: readers recognise duplicates by their ids.
    exporter.leave();
    if (!closed && !exporting.isEmpty() && !isKept) {
      delivery.keep(exporting);
    }
    if (!closed && !spilling.isEmpty()) {
      delivery.keep(spilling);
    }
    closed = true;
  }

  /** Writes all spans in the queue to the own file. Any thread, after {@link #close}. */
  void keepQueue() {
    for (List<SpanData> batch = queue.poll(); !batch.isEmpty(); batch = queue.poll()) {
      delivery.keep(batch);
    }
    if (queue.isShortOfMemory()) {
      lost.lose(queue.clear());
    }
  }
}
