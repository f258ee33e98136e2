package io.rollotel.agent.recorder;

import io.rollotel.traces.recording.RecordingLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The rules of {@link Slots}: whoever reads finds a span whole or not at all, and none twice. */
final class SlotsStress {

  /** A thread's number, and the slots near which its spans lie. */
  private static final int THREAD = 7;

  private static final int RING_SLOTS = 4;

  /** Each number of a span follows from its id. */
  private static final int NEXT_NUMBER = 31;

  private SlotsStress() {}

  /** The file of one process, and what a reader sees of it. */
  static class File {

    final RecordingLayout layout;
    final ByteBuffer bytes;
    final Slots slots;

    File(int ringSlots) {
      layout = new RecordingLayout(256, ringSlots);
      bytes = ByteBuffer.allocate(layout.bytes()).order(ByteOrder.LITTLE_ENDIAN);
      slots = new Slots(bytes, layout);
    }

    int open(long spanId) {
      return slots.open(
          Slots.ofThread(THREAD),
          spanId,
          spanId + 1,
          spanId,
          spanId + NEXT_NUMBER,
          spanId + 2 * NEXT_NUMBER,
          THREAD,
          spanId + 3 * NEXT_NUMBER);
    }

    void end(long spanId) {
      slots.end(
          THREAD,
          spanId,
          spanId + 1,
          spanId,
          spanId + NEXT_NUMBER,
          spanId + 2 * NEXT_NUMBER,
          THREAD,
          spanId + 3 * NEXT_NUMBER,
          false);
    }

    private long get(int at) {
      long value = bytes.getLong(at);
      VarHandle.acquireFence();
      return value;
    }

    /** The id of the open span in a slot; 0 for none that is whole, -1 for one of two halves. */
    int openAt(int at) {
      long state = get(at);
      if ((state & 0xffff_ffffL) != RecordingLayout.OPEN) {
        return 0;
      }
      return whole(at, state >>> 32, RecordingLayout.OPEN);
    }

    /** The same of a place in the ring. */
    int endedAt(int number) {
      int at = layout.ringAt() + number % layout.ringSlots() * RecordingLayout.SLOT_BYTES;
      long state = get(at);
      if (state == RecordingLayout.FREE) {
        return 0;
      }
      return whole(at, state >>> 32, state >>> 1 & 0x7fff_ffffL);
    }

    boolean isExportedAt(int number) {
      int at = layout.ringAt() + number % layout.ringSlots() * RecordingLayout.SLOT_BYTES;
      return (get(at) & RecordingLayout.EXPORTED) != 0;
    }

    private int whole(int at, long sum, long sequence) {
      long traceHigh = bytes.getLong(at + RecordingLayout.TRACE_HIGH);
      long traceLow = bytes.getLong(at + RecordingLayout.TRACE_LOW);
      long spanId = bytes.getLong(at + RecordingLayout.SPAN_ID);
      long parentId = bytes.getLong(at + RecordingLayout.PARENT_ID);
      long start = bytes.getLong(at + RecordingLayout.START);
      long threadOrEnd = bytes.getLong(at + RecordingLayout.THREAD_OR_END);
      long facts = bytes.getLong(at + RecordingLayout.FACTS);
      long expected =
          RecordingLayout.checksum(
              sequence, traceHigh, traceLow, spanId, parentId, start, threadOrEnd, facts);
      if (expected != sum) {
        return 0; // somebody writes: a reader leaves it out
      }
      boolean isOne =
          traceHigh == spanId
              && traceLow == spanId + 1
              && parentId == spanId + NEXT_NUMBER
              && start == spanId + 2 * NEXT_NUMBER
              && facts == spanId + 3 * NEXT_NUMBER;
      return isOne ? (int) spanId : -1;
    }
  }

  /** Two threads whose spans lie near each other start one each. */
  @JCStressTest
  @Description("Two spans start at once: each has a slot of its own, and is whole in it.")
  @Outcome(id = "1, 2, 1", expect = Expect.ACCEPTABLE, desc = "two slots")
  @Outcome(expect = Expect.FORBIDDEN, desc = "they share one, or one is not whole")
  @State
  public static class Opening {

    private final File file = new File(RING_SLOTS);
    private int first;
    private int second;

    @Actor
    public void first() {
      first = file.open(1);
    }

    @Actor
    public void second() {
      second = file.open(2);
    }

    @Arbiter
    public void slots(III_Result result) {
      result.r1 = file.openAt(first);
      result.r2 = file.openAt(second);
      result.r3 = first != second && first > 0 && second > 0 ? 1 : 0;
    }
  }

  /** A slot is used again and again while somebody reads, as after a kill. */
  @JCStressTest
  @Description("A slot is read while it is freed and taken again.")
  @Outcome(
      id = {"0", "1", "2"},
      expect = Expect.ACCEPTABLE,
      desc = "one of the spans, whole, or none")
  @Outcome(expect = Expect.FORBIDDEN, desc = "half of one and half of the other")
  @State
  public static class Reading {

    private final File file = new File(RING_SLOTS);
    private final int slot = file.open(1);

    @Actor
    public void thread() {
      file.slots.free(slot);
      file.open(2);
    }

    @Actor
    public void reader(I_Result result) {
      result.r1 = file.openAt(slot);
    }
  }

  /** Two threads of one stripe end a span each. */
  @JCStressTest
  @Description("Two spans end at once: both are in the ring, and none overwrites the other.")
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "both are there")
  @Outcome(expect = Expect.FORBIDDEN, desc = "one is missing, or is not whole")
  @State
  public static class EndingTwo {

    private final File file = new File(RING_SLOTS);

    @Actor
    public void first() {
      file.end(1);
    }

    @Actor
    public void second() {
      file.end(2);
    }

    @Arbiter
    public void ring(II_Result result) {
      result.r1 = file.endedAt(0);
      result.r2 = file.endedAt(1);
    }
  }

  /** The same where numbers are taken by blocks. */
  @JCStressTest
  @Description("Two spans end at once, in a ring whose numbers are taken by blocks.")
  @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both are there, none twice")
  @Outcome(expect = Expect.FORBIDDEN, desc = "one is missing, or was overwritten")
  @State
  public static class EndingByBlocks {

    private static final int NUMBERS = 8;

    private final File file = new File(1_200);

    @Actor
    public void first() {
      file.end(1);
    }

    @Actor
    public void second() {
      file.end(2);
    }

    @Arbiter
    public void ring(II_Result result) {
      boolean hasFirst = false;
      boolean hasSecond = false;
      for (int number = 0; number < NUMBERS; number++) {
        int spanId = file.endedAt(number);
        hasFirst |= spanId == 1;
        hasSecond |= spanId == 2;
      }
      result.r1 = (hasFirst ? 1 : 0) + (hasSecond ? 1 : 0);
      result.r2 = (int) file.bytes.getLong(RecordingLayout.OVERWRITTEN_AT);
    }
  }

  /** The ring is full, and the export thread notes a span that another one overwrites. */
  @JCStressTest
  @Description("A span is noted as exported while another one overwrites it.")
  @Outcome(
      id = {"5, 0, 0", "5, 0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "the new span, not exported; counted as overwritten where it came first")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the new span passes for exported, and would be lost")
  @State
  public static class Overwriting {

    private final File file = new File(RING_SLOTS);

    public Overwriting() {
      for (int spanId = 1; spanId <= RING_SLOTS; spanId++) {
        file.end(spanId);
      }
    }

    @Actor
    public void thread() {
      file.end(5);
    }

    @Actor
    public void export() {
      file.slots.exported(new ExportedSpanIds(new long[] {1}));
    }

    @Arbiter
    public void ring(III_Result result) {
      result.r1 = file.endedAt(0);
      result.r2 = file.isExportedAt(0) ? 1 : 0;
      result.r3 = (int) file.bytes.getLong(RecordingLayout.OVERWRITTEN_AT);
    }
  }
}
