package io.rollotel.agent.recorder;

import io.rollotel.traces.recording.RecordingLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The table of open spans and the ring of ended ones. No thread waits for another: a slot of the
 * table is claimed by one compare-and-set, places in the ring by one addition. A slot's state is
 * written last, so that a reader knows whether it is complete, even after the death of this
 * process.
 *
 * <p>A worker span keeps its slot, which is one of its thread's: threads that share memory wait for
 * each other's caches, and that would cost more than all the rest. The SDK's spans keep nothing:
 * they are found again by their ids, which are random, among the few slots that such an id points
 * at.
 */
final class Slots {

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** How many slots a span may have. Their number bounds what a start costs when all are taken. */
  private static final int CHOICES = 64;

  /** The first of them lie close together, where the processor's caches hold them all. */
  private static final int NEAR_CHOICES = 8;

  private static final int NEAR_SLOTS = 256;

  /** Blocks of numbers are taken by so many groups of threads. */
  private static final int STRIPES = 16;

  /** So far apart that no two lie on one line of a cache, nor on the next, which is fetched too. */
  private static final int STRIDE = 16;

  private static final int MOST_OF_BLOCK = 32;

  /** A block is given up once the ring has moved on by such a part of it. */
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

  /** Of each stripe the next number; a multiple of {@link #block} where it has none. */
  private final long[] next = new long[STRIPES * STRIDE];

  private final int block;
  private final long staleAfter;

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
   * Counts where no slot is free.
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

  /** Where a thread's spans lie. */
  static int ofThread(long threadId) {
    return (int) threadId * NEAR_CHOICES;
  }

  /** Where a span lies that is found again by {@link #freeOf}. */
  static int ofId(long spanId) {
    return (int) spanId;
  }

  /** The slot, which is the caller's, may be taken by another. */
  void free(int slot) {
    publish(slot, RecordingLayout.FREE);
  }

  /** The span's slot may be taken by another; nothing where it found none. */
  void freeOf(long spanId) {
    for (int i = 0; i < CHOICES; i++) {
      int at = openSlot(ofId(spanId), spanId, i);
      if (spanIdAt(at) == spanId && (get(at) & 0xffff_ffffL) == RecordingLayout.OPEN) {
        publish(at, RecordingLayout.FREE);
        return;
      }
    }
  }

  /** Counts where that overwrites a span that has not been exported. */
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
   * The next of the numbers that a thread has taken a block of, with the few others that share it.
   * What is left of a block is given up once the ring has moved on from it.
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
        // Where another was quicker, the rest of this block stays empty.
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

  /** By 32 bits, whose division is quicker; where they overflow, the ring jumps once. */
  private int ringSlot(long number) {
    return ringAt + ((int) number & Integer.MAX_VALUE) % ringSlots * RecordingLayout.SLOT_BYTES;
  }

  /** Writes all but the state; gives the checksum. */
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
   * Takes note that these ended spans are somewhere else now. They lie close together in the ring,
   * in about that order: a look from where the last ones lay, most often, is a look at these alone.
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
      // may be descheduled, and must be noticed when it writes.
      isContiguous &= isExported || (!isThis && end - number > ringSlots - 2 * staleAfter);
      if (isContiguous) {
        exportedBefore = number + 1;
      }
    }
  }

  boolean hasOpen() {
    for (int i = 0; i <= mask; i++) {
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
