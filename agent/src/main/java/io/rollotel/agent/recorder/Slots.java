package io.rollotel.agent.recorder;

import io.rollotel.traces.recording.RecordingLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The table of open spans and the ring of ended ones. No thread waits for another: one
 * compare-and-set claims a slot of the table, one addition claims places in the ring. A slot's
 * state is written last, so that a reader knows whether it is complete, even after the death of
 * this process.
 *
 * <p>A worker span stores its slot, which is near its thread's other slots: threads that write to
 * the same cache line would slow each other down, which would cost more than everything else. The
 * SDK's spans store no slot: they are found by their random ids, among the few slots that an id
 * maps to.
 */
final class Slots {

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** How many slots are tried for a span. This bounds the cost of a start if all are taken. */
  private static final int CHOICES = 64;

  /** The first of them are close together, so that the processor's caches hold all of them. */
  private static final int NEAR_CHOICES = 8;

  private static final int NEAR_SLOTS = 256;

  /** The number of groups of threads that each take blocks of numbers. */
  private static final int STRIPES = 16;

  /**
   * The distance at which no two share a cache line or adjacent ones, because processors fetch the
   * next line as well.
   */
  private static final int STRIDE = 16;

  private static final int MOST_OF_BLOCK = 32;

  /** A block is given up once the ring has advanced by one in this many parts of its size. */
  private static final int WINDOWS = 6;

  private static final VarHandle NEXT = MethodHandles.arrayElementVarHandle(long[].class);

  private final ByteBuffer bytes;

  /**
   * The same memory for everything except atomic operations: with fences, it costs a fifth less
   * than the handle, which checks the buffer on each access.
   */
  private final LongBuffer longs;

  private final RecordingLayout layout;
  private final int openAt;
  private final int ringAt;
  private final int ringSlots;
  private final int mask;

  /** The next number of each stripe; a multiple of {@link #block} if it has none. */
  private final long[] next = new long[STRIPES * STRIDE];

  private final int block;
  private final long staleAfter;

  /** Whether a span has ever had a slot beyond the near ones. */
  private volatile boolean isFarUsed;

  /** Before it, all in the ring is exported. Guarded by this. */
  private long exportedBefore;

  Slots(ByteBuffer bytes, RecordingLayout layout) {
    this.bytes = bytes;
    longs = bytes.asLongBuffer();
    this.layout = layout;
    openAt = layout.openAt();
    ringAt = layout.ringAt();
    ringSlots = layout.ringSlots();
    mask = layout.openSlots() - 1;
    int share = ringSlots / (STRIPES * WINDOWS * WINDOWS);
    block = Math.max(1, Math.min(MOST_OF_BLOCK, Integer.highestOneBit(share)));
    staleAfter = ringSlots / WINDOWS;
  }

  RecordingLayout layout() {
    return layout;
  }

  /**
   * Counts spans for which no slot is free.
   *
   * @param near {@link #ofThread}, or {@link #ofId} of a span that will not know its slot
   * @return the slot, for {@link #free}; 0 if none is free; the negated slot if the stack
   *     overflowed after the slot was claimed
   */
  int open(
      int near,
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long threadId,
      long facts) {
    for (int i = 0; i < CHOICES; i++) {
      int at = openSlot(near, spanId, i);
      if (get(at) == RecordingLayout.FREE
          && LONG.compareAndSet(bytes, at, RecordingLayout.FREE, RecordingLayout.BUSY)) {
        try {
          if (i >= NEAR_CHOICES && !isFarUsed) { // threads share it, so it is written once
            isFarUsed = true;
          }
          long sum =
              write(
                  at,
                  RecordingLayout.OPEN,
                  traceHigh,
                  traceLow,
                  spanId,
                  parentId,
                  startEpochNanos,
                  threadId,
                  facts);
          publish(at, sum << 32 | RecordingLayout.OPEN);
          return at;
        } catch (StackOverflowError e) {
          return -at;
        }
      }
    }
    count(RecordingLayout.OPEN_OVERFLOW_AT);
    return 0;
  }

  /** The slots of a thread's spans. */
  static int ofThread(long threadId) {
    return (int) threadId * NEAR_CHOICES;
  }

  /** The slots of a span that {@link #freeOf} will search. */
  static int ofId(long spanId) {
    return (int) spanId;
  }

  /** Frees the caller's slot. */
  void free(int slot) {
    publish(slot, RecordingLayout.FREE);
  }

  /** Frees the span's slot; does nothing if the span has none. */
  void freeOf(long spanId) {
    for (int i = 0; i < CHOICES; i++) {
      int at = openSlot(ofId(spanId), spanId, i);
      if (spanIdAt(at) == spanId && (get(at) & 0xffff_ffffL) == RecordingLayout.OPEN) {
        publish(at, RecordingLayout.FREE);
        return;
      }
    }
  }

  /** Counts spans that are overwritten before they were exported. */
  void end(
      long threadId,
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long endEpochNanos,
      long facts,
      boolean isExported) {
    long number = nextNumber(threadId);
    int at = ringSlot(number);
    long before = get(at);
    if (before != RecordingLayout.FREE && (before & RecordingLayout.EXPORTED) == 0) {
      count(RecordingLayout.OVERWRITTEN_AT);
    }
    long sequence = number + 1;
    long sum =
        write(
            at,
            RecordingLayout.sequenceBits(sequence),
            traceHigh,
            traceLow,
            spanId,
            parentId,
            startEpochNanos,
            endEpochNanos,
            facts);
    publish(at, RecordingLayout.ringState(sequence, sum, isExported));
  }

  /**
   * The next number of the block that this thread shares with the few others of its stripe. The
   * rest of a block is given up once the ring has advanced beyond it.
   */
  private long nextNumber(long threadId) {
    int stripe = ((int) threadId & (STRIPES - 1)) * STRIDE;
    while (true) {
      long number = (long) NEXT.getVolatile(next, stripe);
      boolean isOfBlock = (number & (block - 1)) != 0;
      if (isOfBlock && get(RecordingLayout.ENDED_AT) - number < staleAfter) {
        if (NEXT.compareAndSet(next, stripe, number, number + 1)) {
          return number;
        }
      } else {
        long first = (long) LONG.getAndAdd(bytes, RecordingLayout.ENDED_AT, (long) block);
        // If another thread was quicker, the rest of this block stays empty.
        NEXT.compareAndSet(next, stripe, number, first + 1);
        return first;
      }
    }
  }

  /**
   * How many ended spans the ring knows at least: a number may be old when it is used, and in each
   * of the ring's windows every stripe may have given up a block.
   */
  int endedRoom() {
    return block == 1 ? ringSlots : ringSlots - (int) staleAfter - (WINDOWS + 1) * STRIPES * block;
  }

  private int openSlot(int near, long spanId, int choice) {
    int slot =
        choice < NEAR_CHOICES
            ? (near + choice) & (NEAR_SLOTS - 1)
            : ((int) (spanId >>> 32) + choice) & mask;
    return openAt + slot * RecordingLayout.SLOT_BYTES;
  }

  /** Uses 32 bits, whose division is faster; when they overflow, the ring jumps once. */
  private int ringSlot(long number) {
    return ringAt + ((int) number & Integer.MAX_VALUE) % ringSlots * RecordingLayout.SLOT_BYTES;
  }

  /** Writes everything except the state; returns the checksum. */
  private long write(
      int at,
      long sequence,
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long threadOrEnd,
      long facts) {
    put(at + RecordingLayout.TRACE_HIGH, traceHigh);
    put(at + RecordingLayout.TRACE_LOW, traceLow);
    put(at + RecordingLayout.SPAN_ID, spanId);
    put(at + RecordingLayout.PARENT_ID, parentId);
    put(at + RecordingLayout.START, startEpochNanos);
    put(at + RecordingLayout.THREAD_OR_END, threadOrEnd);
    put(at + RecordingLayout.FACTS, facts);
    return RecordingLayout.checksum(
        sequence, traceHigh, traceLow, spanId, parentId, startEpochNanos, threadOrEnd, facts);
  }

  /**
   * Notes that these ended spans have been exported or kept. They are close together in the ring,
   * roughly in this order, so a search from the end of the last ones usually sees only these.
   */
  synchronized void exported(ExportedSpanIds spanIds) {
    long end = get(RecordingLayout.ENDED_AT);
    exportedBefore = Math.max(exportedBefore, end - ringSlots);
    boolean isContiguous = true;
    int left = spanIds.size();
    for (long number = exportedBefore; number < end && (left > 0 || isContiguous); number++) {
      int at = ringSlot(number);
      long state = get(at);
      boolean isThis = (state >>> 1 & 0x7fff_ffffL) == RecordingLayout.sequenceBits(number + 1);
      boolean isExported = isThis && (state & RecordingLayout.EXPORTED) != 0;
      if (isThis && !isExported && spanIds.contains(spanIdAt(at))) {
        // Unless another span has just overwritten it.
        LONG.compareAndSet(bytes, at, state, state | RecordingLayout.EXPORTED);
        isExported = true;
        left--;
      }
      // The rest of an abandoned block is never written. But a thread that has just taken a number
      // may be suspended, and its write must not be missed.
      isContiguous &= isExported || (!isThis && end - number > ringSlots - 2 * staleAfter);
      if (isContiguous) {
        exportedBefore = number + 1;
      }
    }
  }

  /** Most processes use the near slots alone: at their exit, the others need not be read. */
  boolean hasOpen() {
    int last = isFarUsed ? mask : Math.min(mask, NEAR_SLOTS - 1);
    for (int i = 0; i <= last; i++) {
      if (get(openAt + i * RecordingLayout.SLOT_BYTES) != RecordingLayout.FREE) {
        return true;
      }
    }
    return false;
  }

  /** Writes a number after all earlier writes. */
  void publish(int at, long value) {
    VarHandle.releaseFence();
    put(at, value);
  }

  private long spanIdAt(int at) {
    return longs.get((at + RecordingLayout.SPAN_ID) >> 3);
  }

  private void put(int at, long value) {
    longs.put(at >> 3, value);
  }

  void count(int at) {
    LONG.getAndAdd(bytes, at, 1L);
  }

  /** Reads a number before all later reads. */
  private long get(int at) {
    long value = longs.get(at >> 3);
    VarHandle.acquireFence();
    return value;
  }
}
