package io.rollotel.agent.export;

import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.span.SpanResource;
import java.util.ArrayList;
import java.util.List;

/** Ended spans that wait, bounded by their number and by their estimated bytes. Any thread. */
final class SpanQueue {

  /** The size of a batch: collectors accept requests of at least 4 MiB. */
  private static final long MAX_BATCH_BYTES = 2 << 20;

  /** How often a span is tried again that could not be read for lack of memory. */
  private static final int MAX_FAILURES = 10;

  /** How many of the oldest spans are measured to estimate the size of the others. */
  private static final int SAMPLE = 16;

  private volatile SpanResource resource = SpanResource.whole(Resource.empty());

  /** Except for adding, guarded by this. */
  private final EndedSpans spans = new EndedSpans();

  private final QueueBounds bounds = new QueueBounds();
  private final Backpressure backpressure;
  private final LostSpans lost;
  private int batchSize = 2_048;

  /** Attempts to read the oldest span that found no memory. Guarded by this. */
  private int failures;

  private volatile boolean isShortOfMemory;

  SpanQueue(LostSpans lost, Backpressure backpressure) {
    this.lost = lost;
    this.backpressure = backpressure;
  }

  /** Before the first span. */
  void configure(int capacity, int newBatchSize) {
    batchSize = newBatchSize;
    bounds.setCapacity(capacity);
    spans.configure(capacity, newBatchSize);
  }

  /** Before the first span: how many ended spans the recorder can hold. */
  void setRecorded(int endedRoom) {
    bounds.setRecorded(endedRoom, batchSize);
  }

  /** As configured. */
  int capacity() {
    return bounds.capacity();
  }

  int batchSize() {
    return batchSize;
  }

  int size() {
    return spans.size();
  }

  boolean hasRoom() {
    return spans.isBelow(bounds.limit());
  }

  /** Whether so many wait that spans go to the own file while an answer is awaited. */
  boolean isHigh() {
    return spans.size() >= bounds.highWater();
  }

  /** Whether enough of them have gone there. */
  boolean isLow() {
    return spans.size() <= bounds.lowWater();
  }

  /** Whether the recorder, and not the queue, sets the bound. */
  boolean isSetByRecorder() {
    return bounds.isSetByRecorder();
  }

  /** What became of a span that has ended. */
  enum Added {
    NO_ROOM,
    WAITS,
    /** It waits, and with it so many that the export thread should wake up: once per batch. */
    FILLS_BATCH
  }

  Added add(ReadableSpan span) {
    if (!hasRoom()) {
      return Added.NO_ROOM;
    }
    int waiting = 0;
    boolean isAdded = false;
    try {
      waiting = spans.add(span);
      isAdded = true;
    } finally {
      if (!isAdded) { // no memory, or no stack
        lost.lose(1);
      }
    }
    boolean isFull =
        waiting != 0 && (isReached(batchSize, waiting) || isReached(bounds.highWater(), waiting));
    return isFull ? Added.FILLS_BATCH : Added.WAITS;
  }

  /** Whether the block of spans that has just begun reaches a mark. */
  private boolean isReached(int mark, int waiting) {
    return waiting >= mark && waiting - spans.block() < mark;
  }

  /**
   * Waits for room; false if there is none after a time.
   *
   * @param wake called before anybody waits
   */
  boolean awaitRoom(Runnable wake) {
    return backpressure.await(this, wake);
  }

  /** Whether threads have waited for room. */
  boolean wasAwaited() {
    return backpressure.wasNeeded();
  }

  /** Sets what completes spans before they are exported. */
  void setResource(SpanResource ofProcess) {
    resource = ofProcess;
  }

  /** Measures the oldest spans; {@link #poll} says if one cannot be read. */
  synchronized void measureNext() {
    int count = 0;
    long all = 0;
    long largest = 0;
    spans.collect();
    for (EndedSpans.Node next = spans.oldest();
        count < SAMPLE && next != null;
        next = next.newer()) {
      try {
        long size = SpanSizeEstimate.of(next.span.toSpanData());
        all += size;
        largest = Math.max(largest, size);
        count++;
      } catch (RuntimeException | Error unreadable) {
        return; // the estimate does not change
      }
    }
    bounds.foresee(count, all, largest);
  }

  /**
   * The next batch; none if no span waits, or if there is no memory to read one. A span is taken
   * out once it was read.
   */
  synchronized List<SpanData> poll() {
    List<SpanData> batch;
    try {
      batch = new ArrayList<>(Math.min(batchSize, Math.max(0, spans.size())));
    } catch (OutOfMemoryError e) {
      isShortOfMemory = true;
      return List.of();
    }
    spans.collect();
    long bytes = 0;
    long largest = 0;
    while (batch.size() < batchSize && bytes < MAX_BATCH_BYTES) {
      EndedSpans.Node oldest = spans.oldest();
      if (oldest == null) {
        isShortOfMemory = false;
        break;
      }
      try {
        SpanData data = resource.complete(oldest.span.toSpanData());
        long estimate = SpanSizeEstimate.of(data);
        batch.add(data);
        bytes += estimate;
        largest = Math.max(largest, estimate);
      } catch (OutOfMemoryError e) {
        isShortOfMemory = true;
        if (batch.isEmpty() && ++failures > MAX_FAILURES) {
          lose(e); // there will never be enough for this one
        }
        break; // the others get their turn when there is memory again
      } catch (RuntimeException | Error e) {
        lose(e);
        continue;
      }
      spans.removeOldest();
      failures = 0;
      isShortOfMemory = false;
    }
    spans.settle();
    backpressure.taken(batch.size());
    bounds.measure(batch.size(), bytes, largest);
    return batch;
  }

  /** Whether the last attempt to read a span found no memory. */
  boolean isShortOfMemory() {
    return isShortOfMemory;
  }

  /** Takes all spans out; returns their number. */
  synchronized int clear() {
    int count = 0;
    spans.collect();
    while (spans.oldest() != null) {
      spans.removeOldest();
      count++;
    }
    spans.settle();
    return count;
  }

  private void lose(Throwable failure) {
    spans.removeOldest();
    failures = 0;
    lost.lose(1);
    warn(failure);
  }

  /** If memory is short, the warning may fail as well, and must not cost the batch. */
  private static void warn(Throwable failure) {
    try {
      AgentLog.warnOnce("a span could not be read, and is lost: " + failure);
    } catch (RuntimeException | Error noMemory) {
      // The span is counted.
    }
  }
}
