package io.rollotel.traces.recording;

import io.rollotel.traces.otlp.Span;

/**
 * The layout of a recorder file, as described in docs/file-format.md: header, names, the table of
 * open spans, the ring of ended ones. All numbers are little-endian.
 *
 * <p>A slot is one cache line of eight longs. The first one contains the state and the checksum of
 * the others, so that a slot that was being written when its process died is recognised.
 *
 * @param openSlots a power of two
 */
public record RecordingLayout(int openSlots, int ringSlots) {

  /** {@code ROLLREC1}, which includes the version. */
  public static final long MAGIC = 0x3143_4552_4c4c_4f52L;

  public static final int HEADER_BYTES = 8 << 10;
  public static final int SLOT_BYTES = 64;

  /** Less would not hold a batch. */
  public static final int LEAST_BYTES = 128 << 10;

  // The header: fields that never change,
  public static final int MAGIC_AT = 0;
  public static final int NAME_BYTES_AT = 8;
  public static final int OPEN_SLOTS_AT = 16;
  public static final int RING_SLOTS_AT = 24;
  public static final int PID_AT = 64;
  public static final int PROCESS_START_MILLIS_AT = 72;
  public static final int CLOCK_EPOCH_NANOS_AT = 80;
  public static final int CLOCK_NANO_TIME_AT = 88;

  // fields that change, each on a separate cache line if it changes often,
  public static final int BEAT_EPOCH_NANOS_AT = 128;
  public static final int BEAT_NANO_TIME_AT = 136;
  public static final int EXITED_AT = 144;
  public static final int ENDED_AT = 192;
  public static final int OPEN_OVERFLOW_AT = 256;
  public static final int OVERWRITTEN_AT = 264;
  public static final int NAMES_USED_AT = 272;
  public static final int NAMES_OVERFLOW_AT = 280;
  public static final int DROPPED_AT = 288;

  // and the resource: its length, its checksum, its bytes.
  public static final int RESOURCE_AT = 320;
  public static final int RESOURCE_MOST_BYTES = HEADER_BYTES - RESOURCE_AT - 16;

  // A slot, in bytes from its start.
  public static final int STATE = 0;
  public static final int TRACE_HIGH = 8;
  public static final int TRACE_LOW = 16;
  public static final int SPAN_ID = 24;
  public static final int PARENT_ID = 32;
  public static final int START = 40;

  /** The thread of an open span, the end of an ended one. */
  public static final int THREAD_OR_END = 48;

  /** {@link #facts}. */
  public static final int FACTS = 56;

  // The state of an open slot: its lower half; the upper one is the checksum.
  public static final long FREE = 0;
  public static final long BUSY = 1;
  public static final long OPEN = 2;

  /**
   * The lowest bit of a ring slot's state: the span need not be recovered. The sequence is above
   * it.
   */
  public static final long EXPORTED = 1;

  /** The shares of the file for open spans, and for names. */
  private static final int OPEN_SHARE = 4;

  private static final int NAME_SHARE = 32;

  /** The layout of a file of this size, {@link #LEAST_BYTES} at least; it is not larger. */
  public static RecordingLayout of(int bytes) {
    int openSlots = Integer.highestOneBit(bytes / OPEN_SHARE / SLOT_BYTES);
    int names = nameBytes(openSlots);
    int ringSlots = (bytes - HEADER_BYTES - names) / SLOT_BYTES - openSlots;
    return new RecordingLayout(openSlots, ringSlots);
  }

  /** The smallest layout with room for that much. */
  static RecordingLayout holding(int open, int ended, int nameBytes) {
    int slots = Math.max(1, open);
    while (nameBytes(slots) < nameBytes) {
      slots++;
    }
    int openSlots = Integer.highestOneBit(slots);
    return new RecordingLayout(openSlots == slots ? slots : openSlots * 2, ended);
  }

  private static int nameBytes(int openSlots) {
    return openSlots * (SLOT_BYTES * OPEN_SHARE / NAME_SHARE); // so that no product overflows
  }

  public int nameBytes() {
    return nameBytes(openSlots);
  }

  /** The offset of the names. */
  public int namesAt() {
    return HEADER_BYTES;
  }

  /** The offset of the table of open spans. */
  public int openAt() {
    return HEADER_BYTES + nameBytes();
  }

  /** The offset of the ring, which comes last. */
  public int ringAt() {
    return openAt() + openSlots * SLOT_BYTES;
  }

  public int bytes() {
    return ringAt() + ringSlots * SLOT_BYTES;
  }

  /**
   * The facts about a span other than ids and times.
   *
   * @param name the offset of its name among the names; 0 if there was no room for it
   * @param kind as in {@link Span#kind}
   * @param status as in {@link Span#statusCode}
   * @param woven whether the agent created it for a worker method
   */
  public static long facts(int name, int kind, int status, boolean woven) {
    return (long) name << 32 | (woven ? 1 << 16 : 0) | status << 8 | kind;
  }

  /** The same with this status, instead of none. */
  public static long withStatus(long facts, int status) {
    return facts | status << 8;
  }

  /** The state of a ring slot: checksum, sequence, and whether it need not be recovered. */
  public static long ringState(long sequence, long checksum, boolean isExported) {
    return checksum << 32 | sequenceBits(sequence) << 1 | (isExported ? EXPORTED : 0);
  }

  /** The bits of a sequence that fit into a state. */
  public static long sequenceBits(long sequence) {
    return sequence & 0x7fff_ffffL;
  }

  /**
   * The checksum of a slot, 32 bits. A sum of products, which the processor computes in parallel,
   * because it is on the path of the traced call.
   *
   * @param sequence {@link #sequenceBits} of a ring slot's, {@link #OPEN} for an open one
   */
  public static long checksum(
      long sequence,
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long start,
      long threadOrEnd,
      long facts) {
    long sum =
        (sequence + 1) * 0x9e37_79b9_7f4a_7c15L
            + traceHigh * 0xbf58_476d_1ce4_e5b9L
            + traceLow * 0x94d0_49bb_1331_11ebL
            + spanId * 0xd6e8_feb8_6659_fd93L
            + parentId * 0xa076_1d64_78bd_642fL
            + start * 0xe703_7ed1_a0b4_28dbL
            + threadOrEnd * 0x8ebc_6af0_9c88_c6e3L
            + facts * 0x5899_65cc_7537_4cc3L;
    return (sum ^ sum >>> 32) & 0xffff_ffffL;
  }

  /** The checksum of a text's bytes; never 0. */
  public static int checksum(byte[] bytes) {
    int sum = 0x811c_9dc5;
    for (byte b : bytes) {
      sum = (sum ^ (b & 0xff)) * 0x0100_0193;
    }
    return sum == 0 ? 1 : sum;
  }
}
