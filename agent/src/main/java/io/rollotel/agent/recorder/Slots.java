package io.rollotel.agent.recorder;

import io.rollotel.traces.file.RecorderLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The table of open spans and the ring of ended ones. Nobody waits for anybody: a slot of the table
 * is claimed by one compare-and-set, a place in the ring by one addition. A slot's state is written
 * last, so that a reader, or whoever comes after the death of this process, knows whether it is
 * whole.
 *
 * <p>Spans are found again by their ids, which are random: a span's slot is among the few that its
 * id points at, and no span has to keep its place.
 */
final class Slots {

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** How many slots a span may have. Their number bounds what a start costs when all are taken. */
  private static final int CHOICES = 64;

  /** The first of them lie close together, where the processor's caches hold them all. */
  private static final int NEAR_CHOICES = 8;

  private static final int NEAR_SLOTS = 256;

  private final ByteBuffer bytes;

  /**
   * The same, for all but what is atomic: with fences it costs a fifth less than the handle, which
   * looks at the buffer anew each time.
   */
  private final LongBuffer longs;

  private final RecorderLayout layout;
  private final int openAt;
  private final int ringAt;
  private final int ringSlots;
  private final int mask;

  /** Before it, all in the ring is exported. Guarded by this. */
  private long exportedBefore;

  Slots(ByteBuffer bytes, RecorderLayout layout) {
    this.bytes = bytes;
    longs = bytes.asLongBuffer();
    this.layout = layout;
    openAt = layout.openAt();
    ringAt = layout.ringAt();
    ringSlots = layout.ringSlots();
    mask = layout.openSlots() - 1;
  }

  RecorderLayout layout() {
    return layout;
  }

  /** Counts where no slot is free. */
  void open(
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long threadId,
      long facts) {
    for (int i = 0; i < CHOICES; i++) {
      int at = openSlot(spanId, i);
      if (get(at) == RecorderLayout.FREE
          && LONG.compareAndSet(bytes, at, RecorderLayout.FREE, RecorderLayout.BUSY)) {
        long sum =
            write(
                at,
                RecorderLayout.OPEN,
                traceHigh,
                traceLow,
                spanId,
                parentId,
                startEpochNanos,
                threadId,
                facts);
        publish(at, sum << 32 | RecorderLayout.OPEN);
        return;
      }
    }
    count(RecorderLayout.OPEN_OVERFLOW_AT);
  }

  /** The span's slot may be taken by another; nothing where it found none. */
  void free(long spanId) {
    for (int i = 0; i < CHOICES; i++) {
      int at = openSlot(spanId, i);
      if (spanIdAt(at) == spanId && (get(at) & 0xffff_ffffL) == RecorderLayout.OPEN) {
        publish(at, RecorderLayout.FREE);
        return;
      }
    }
  }

  /** Counts where that overwrites a span that has not been exported. */
  void end(
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long endEpochNanos,
      long facts,
      boolean isExported) {
    long number = (long) LONG.getAndAdd(bytes, RecorderLayout.ENDED_AT, 1L);
    int at = ringSlot(number);
    long before = get(at);
    if (before != RecorderLayout.FREE && (before & RecorderLayout.EXPORTED) == 0) {
      count(RecorderLayout.OVERWRITTEN_AT);
    }
    long sequence = number + 1;
    long sum =
        write(
            at,
            RecorderLayout.sequenceBits(sequence),
            traceHigh,
            traceLow,
            spanId,
            parentId,
            startEpochNanos,
            endEpochNanos,
            facts);
    publish(at, RecorderLayout.ringState(sequence, sum, isExported));
  }

  private int openSlot(long spanId, int choice) {
    int slot =
        choice < NEAR_CHOICES
            ? ((int) spanId + choice) & (NEAR_SLOTS - 1)
            : ((int) (spanId >>> 32) + choice) & mask;
    return openAt + slot * RecorderLayout.SLOT_BYTES;
  }

  /** By 32 bits, whose division is quicker; where they overflow, the ring jumps once. */
  private int ringSlot(long number) {
    return ringAt + ((int) number & Integer.MAX_VALUE) % ringSlots * RecorderLayout.SLOT_BYTES;
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
    put(at + RecorderLayout.TRACE_HIGH, traceHigh);
    put(at + RecorderLayout.TRACE_LOW, traceLow);
    put(at + RecorderLayout.SPAN_ID, spanId);
    put(at + RecorderLayout.PARENT_ID, parentId);
    put(at + RecorderLayout.START, startEpochNanos);
    put(at + RecorderLayout.THREAD_OR_END, threadOrEnd);
    put(at + RecorderLayout.FACTS, facts);
    return RecorderLayout.checksum(
        sequence, traceHigh, traceLow, spanId, parentId, startEpochNanos, threadOrEnd, facts);
  }

  /**
   * Takes note that these ended spans are somewhere else now. They lie close together in the ring,
   * in about that order: a look from where the last ones lay, most often, is a look at these alone.
   */
  synchronized void exported(SpanIdSet spanIds) {
    long end = get(RecorderLayout.ENDED_AT);
    exportedBefore = Math.max(exportedBefore, end - ringSlots);
    boolean isContiguous = true;
    int left = spanIds.size();
    for (long number = exportedBefore; number < end && (left > 0 || isContiguous); number++) {
      int at = ringSlot(number);
      long state = get(at);
      boolean isThis = (state >>> 1 & 0x7fff_ffffL) == RecorderLayout.sequenceBits(number + 1);
      boolean isExported = isThis && (state & RecorderLayout.EXPORTED) != 0;
      if (isThis && !isExported && spanIds.contains(spanIdAt(at))) {
        // Unless another span has just overwritten it.
        LONG.compareAndSet(bytes, at, state, state | RecorderLayout.EXPORTED);
        isExported = true;
        left--;
      }
      isContiguous &= isExported;
      if (isContiguous) {
        exportedBefore = number + 1;
      }
    }
  }

  boolean hasOpen() {
    for (int i = 0; i <= mask; i++) {
      if (get(openAt + i * RecorderLayout.SLOT_BYTES) != RecorderLayout.FREE) {
        return true;
      }
    }
    return false;
  }

  /** Writes a number after all that was written before. */
  void publish(int at, long value) {
    VarHandle.releaseFence();
    put(at, value);
  }

  private long spanIdAt(int at) {
    return longs.get((at + RecorderLayout.SPAN_ID) >> 3);
  }

  private void put(int at, long value) {
    longs.put(at >> 3, value);
  }

  void count(int at) {
    LONG.getAndAdd(bytes, at, 1L);
  }

  /** Reads a number before all that is read after. */
  private long get(int at) {
    long value = longs.get(at >> 3);
    VarHandle.acquireFence();
    return value;
  }
}
