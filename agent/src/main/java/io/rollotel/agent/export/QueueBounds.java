package io.rollotel.agent.export;

/**
 * How many spans may wait in memory: the configured number, or fewer if they are large. The export
 * thread measures; a thread that ends a span reads one number.
 */
final class QueueBounds {

  private static final int HEAP_SHARE = 16;

  /**
   * The bytes that may wait, by {@link SpanSizeEstimate}. In a small heap, this is the
   * application's memory.
   */
  private static final long MAX_BYTES =
      Math.min(64 << 20, Runtime.getRuntime().maxMemory() / HEAP_SHARE);

  private int capacity = 262_144;

  private volatile int limit = capacity;

  /** The estimate that the limit follows: of the last batch, falling slowly. */
  private long spanBytes;

  /** Of the last batch. */
  private long previousLargestBytes;

  /**
   * How many spans may wait so that the recorder still holds every span that was not accepted,
   * including the batch on its way and the next one.
   */
  private int recorded = Integer.MAX_VALUE;

  /** Before the first span. */
  void setCapacity(int newCapacity) {
    capacity = newCapacity;
    limit = newCapacity;
  }

  /** Before the first span: how many ended spans the recorder can hold. */
  void setRecorded(int endedRoom, int batchSize) {
    long twoBatches = 2L * batchSize; // of any size that a user may set
    recorded = (int) Math.min(Integer.MAX_VALUE, Math.max(twoBatches, endedRoom - twoBatches));
  }

  /** As configured. */
  int capacity() {
    return capacity;
  }

  /** How many may wait. */
  int limit() {
    return limit;
  }

  /** From this number on, waiting spans go to the own file while an answer is awaited. */
  int highWater() {
    int most = limit;
    return Math.min(most - most / 4, recorded);
  }

  /** Spans go to the own file until this many are left. */
  int lowWater() {
    return Math.min(limit / 2, recorded / 3 * 2);
  }

  /** Whether the recorder, and not the queue, sets the bound. */
  boolean isSetByRecorder() {
    return recorded < limit;
  }

  /**
   * Notes the sizes of a batch's spans, on the export thread. The largest counts only if the
   * previous batch had one of that size, since a single large span does not make the others large.
   */
  void measure(int spans, long bytes, long largestBytes) {
    foresee(spans, bytes, largestBytes);
    if (spans > 0) {
      previousLargestBytes = largestBytes;
    }
  }

  /** The same for spans that {@link #measure} will see as well. */
  void foresee(int spans, long bytes, long largestBytes) {
    if (spans == 0) {
      return;
    }
    long others = bytes - largestBytes;
    long each = (others + Math.min(largestBytes, previousLargestBytes)) / spans;
    if (spans > 1) {
      each = Math.max(each, others / (spans - 1));
    }
    spanBytes = Math.max(each, spanBytes - spanBytes / 8);
    int most = (int) Math.min(capacity, Math.max(1, MAX_BYTES / Math.max(1, spanBytes)));
    if (most != limit) {
      limit = most;
    }
  }
}
