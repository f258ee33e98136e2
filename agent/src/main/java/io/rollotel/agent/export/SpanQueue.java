package io.rollotel.agent.export;

import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.span.SpanResource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Ended spans that wait, bounded by their number and by their estimated bytes. Any thread. */
final class SpanQueue {

  /** The size of a batch: collectors accept requests of at least 4 MiB. */
  private static final long MAX_BATCH_BYTES = 2 << 20;

  /** How often a span is tried again that could not be read for lack of memory. */
  private static final int MAX_FAILURES = 10;

  /** How many of the oldest spans are measured to estimate the size of the others. */
  private static final int SAMPLE = 16;

  private volatile SpanResource resource = SpanResource.whole(Resource.empty());

  private final ConcurrentLinkedQueue<ReadableSpan> spans = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
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
    return size.get();
  }

  boolean hasRoom() {
    return size.get() < bounds.limit();
  }

  /** Whether so many wait that spans go to the own file while an answer is awaited. */
  boolean isHigh() {
    return size.get() >= bounds.highWater();
  }

  /** Whether enough of them have gone there. */
  boolean isLow() {
    return size.get() <= bounds.lowWater();
  }

  /** Whether the recorder, and not the queue, sets the bound. */
  boolean isSetByRecorder() {
    return bounds.isSetByRecorder();
  }

  /** Whether to wake the export thread, now that so many spans wait: once per batch. */
  boolean isWorthWaking(int waiting) {
    return waiting == batchSize || waiting == bounds.highWater();
  }

  /**
   * Adds a span.
   *
   * @return how many wait now; 0 if there is no room
   */
  int add(ReadableSpan span) {
    if (!hasRoom()) {
      return 0;
    }
    int waiting = size.incrementAndGet();
    boolean isAdded = false;
    try {
      spans.add(span);
      isAdded = true;
    } finally {
      if (!isAdded) { // no memory, or no stack
        size.decrementAndGet();
        lost.lose(1);
      }
    }
    return waiting;
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
  void measureNext() {
    long[] sizes = new long[SAMPLE];
    int count = 0;
    for (Iterator<ReadableSpan> next = spans.iterator(); count < SAMPLE && next.hasNext(); ) {
      try {
        sizes[count] = SpanSizeEstimate.of(next.next().toSpanData());
        count++;
      } catch (RuntimeException | Error unreadable) {
        return; // the estimate does not change
      }
    }
    bounds.foresee(count, Arrays.stream(sizes).sum(), Arrays.stream(sizes).max().orElse(0));
  }

  /**
   * The next batch; none if no span waits, or if there is no memory to read one. A span is taken
   * out once it was read.
   */
  synchronized List<SpanData> poll() {
    List<SpanData> batch;
    try {
      batch = new ArrayList<>(Math.min(batchSize, Math.max(0, size.get())));
    } catch (OutOfMemoryError e) {
      isShortOfMemory = true;
      return List.of();
    }
    long bytes = 0;
    long largest = 0;
    while (batch.size() < batchSize && bytes < MAX_BATCH_BYTES) {
      ReadableSpan span = spans.peek();
      if (span == null) {
        isShortOfMemory = false;
        break;
      }
      try {
        SpanData data = resource.complete(span.toSpanData());
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
      spans.poll();
      size.decrementAndGet();
      failures = 0;
      isShortOfMemory = false;
    }
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
    while (spans.poll() != null) {
      size.decrementAndGet();
      count++;
    }
    return count;
  }

  private void lose(Throwable failure) {
    spans.poll();
    size.decrementAndGet();
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
