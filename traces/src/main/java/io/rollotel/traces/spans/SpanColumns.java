package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.otlp.Span;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * The numbers that are stored of each span: a column for each, a row for each span. They take about
 * 60 bytes per span, and no objects. {@link Spans} knows what the numbers of traces, names,
 * processes, runs and failures mean.
 *
 * <p>Times are nanoseconds since the epoch. A span that ends before its start gets the duration 0.
 * A span without times, or with a time after the year 2262, is {@link #isTimed not timed}, and both
 * of its times are 0.
 */
public abstract sealed class SpanColumns implements Serializable permits Spans {

  /** Used in the queue column: there was no such attribute. */
  public static final long NO_QUEUE = Long.MIN_VALUE;

  static final String QUEUE = "roll.queue_ns";

  private static final int ERROR = 1;
  private static final int BACKWARDS = 2;
  private static final int UNTIMED = 4;
  private static final int CALL = 8;
  private static final int MISDATED = 128;
  private static final int KIND_SHIFT = 4;

  private static final HexFormat HEX = HexFormat.of();

  private int size;
  private int[] trace = new int[1024];
  private int[] name = new int[1024];
  private int[] process = new int[1024];
  private int[] run = new int[1024];
  private int[] failure = new int[1024];
  private long[] id = new long[1024];
  private long[] parentId = new long[1024];
  private long[] start = new long[1024];
  private long[] end = new long[1024];
  private long[] queue = new long[1024];
  private byte[] flags = new byte[1024];

  /** Of {@link UnendedRuns}. */
  private final Map<Integer, Long> endsBeforeCut = new HashMap<>();

  SpanColumns() {}

  /**
   * Adds a row.
   *
   * @param ofName the number of its recorded name
   * @param ofFailure the number of the empty text if it has not failed
   * @return its number
   */
  final int addRow(Span span, int ofTrace, int ofName, int ofProcess, int ofRun, int ofFailure) {
    int i = newRow();
    trace[i] = ofTrace;
    name[i] = ofName;
    process[i] = ofProcess;
    run[i] = ofRun;
    failure[i] = ofFailure;
    id[i] = HexIds.toLong(span.spanId());
    parentId[i] = span.parentSpanId().isEmpty() ? 0 : HexIds.toLong(span.parentSpanId());
    times(i, span.startEpochNanos(), span.endEpochNanos());
    flags[i] |= (byte) (kindOf(span) << KIND_SHIFT);
    flags[i] |= (byte) (span.statusCode() == Span.STATUS_ERROR ? ERROR : 0);
    queue[i] = NO_QUEUE;
    if (!span.attributes().isEmpty()) {
      flags[i] |= (byte) (CallJoins.isCall(span) ? CALL : 0);
      queue[i] = span.attributes().get(QUEUE) instanceof Long nanos ? nanos : NO_QUEUE;
    }
    return i;
  }

  /**
   * Adds a copy of a row whose name, process and run have the same numbers here.
   *
   * @return its number
   */
  final int copyRow(SpanColumns from, int span, int ofTrace, int ofFailure) {
    int i = newRow();
    trace[i] = ofTrace;
    name[i] = from.name[span];
    process[i] = from.process[span];
    run[i] = from.run[span];
    failure[i] = ofFailure;
    id[i] = from.id[span];
    parentId[i] = from.parentId[span];
    start[i] = from.start[span];
    end[i] = from.end[span];
    queue[i] = from.queue[span];
    flags[i] = from.flags[span];
    return i;
  }

  private int newRow() {
    if (size == trace.length) {
      grow();
    }
    return size++;
  }

  private void grow() {
    int length = Math.multiplyExact(size, 2);
    trace = Arrays.copyOf(trace, length);
    name = Arrays.copyOf(name, length);
    process = Arrays.copyOf(process, length);
    run = Arrays.copyOf(run, length);
    failure = Arrays.copyOf(failure, length);
    id = Arrays.copyOf(id, length);
    parentId = Arrays.copyOf(parentId, length);
    start = Arrays.copyOf(start, length);
    end = Arrays.copyOf(end, length);
    queue = Arrays.copyOf(queue, length);
    flags = Arrays.copyOf(flags, length);
  }

  /** OTLP asks readers to take a kind that they do not know for none. */
  private static int kindOf(Span span) {
    return span.kind() >= 0 && span.kind() <= Span.CONSUMER ? span.kind() : 0;
  }

  private void times(int i, long startNanos, long endNanos) {
    if (startNanos <= 0 || endNanos < 0) {
      flags[i] = (byte) (UNTIMED | (startNanos != 0 && endNanos == 0 ? BACKWARDS : 0));
      start[i] = 0;
      end[i] = 0;
      return;
    }
    start[i] = startNanos;
    end[i] = Math.max(startNanos, endNanos);
    flags[i] = (byte) (endNanos < startNanos ? BACKWARDS : 0);
  }

  /** The number of rows: the spans from the files, then {@link Spans#isVirtual virtual} ones. */
  public final int size() {
    return size;
  }

  /** The number of the trace. */
  public final int trace(int span) {
    return trace[span];
  }

  /** The number of the name as it is in the file. */
  final int recordedName(int span) {
    return name[span];
  }

  public final int process(int span) {
    return process[span];
  }

  public final int run(int span) {
    return run[span];
  }

  final void setRun(int span, int ofRun) {
    run[span] = ofRun;
  }

  /** The number of {@link Spans#failureText}, that of the empty text if unknown. */
  public final int failure(int span) {
    return failure[span];
  }

  public final long id(int span) {
    return id[span];
  }

  /** 0 for a root. */
  public final long parentId(int span) {
    return parentId[span];
  }

  public final String spanId(int span) {
    return HEX.toHexDigits(id[span]);
  }

  /** As 16 hex digits, empty for a root. */
  public final String parentSpanId(int span) {
    return parentId[span] == 0 ? "" : HEX.toHexDigits(parentId[span]);
  }

  /** Puts the span into another trace; a root gets that parent there. */
  final void setTrace(int span, int toTrace, long parent) {
    trace[span] = toTrace;
    parentId[span] = parentId[span] == 0 ? parent : parentId[span];
  }

  public final boolean isError(int span) {
    return (flags[span] & ERROR) != 0;
  }

  /** Whether it sent a call whose execution the agent traces as well. */
  public final boolean isCall(int span) {
    return (flags[span] & CALL) != 0;
  }

  /** As in {@link Span#kind}. */
  public final int kind(int span) {
    return flags[span] >> KIND_SHIFT & 7;
  }

  public final long start(int span) {
    return start[span];
  }

  public final long end(int span) {
    return end[span];
  }

  public final long nanos(int span) {
    return end[span] - start[span];
  }

  /** {@code roll.queue_ns}, or {@link #NO_QUEUE}. */
  public final long queueNanos(int span) {
    return queue[span];
  }

  public final boolean isTimed(int span) {
    return (flags[span] & UNTIMED) == 0;
  }

  /** Whether it ended before its start, according to the file. */
  public final boolean isBackwards(int span) {
    return (flags[span] & BACKWARDS) != 0;
  }

  /** Whether it had times, years away from those of its run. */
  public final boolean isMisdated(int span) {
    return (flags[span] & MISDATED) != 0;
  }

  /** Removes times that cannot be true. */
  final void undate(int span) {
    flags[span] = (byte) (flags[span] | UNTIMED | MISDATED);
    start[span] = 0;
    end[span] = 0;
  }

  /** Subtracts this from a span's times, if it has any. */
  public final void setBack(int span, long nanos) {
    start[span] -= isTimed(span) ? nanos : 0;
    end[span] -= isTimed(span) ? nanos : 0;
  }

  /** Subtracts this from {@link #queueNanos}, for a span that has it. */
  public final void shortenQueue(int span, long nanos) {
    queue[span] -= nanos;
  }

  /** A virtual row extends from the first start to the last end of all times passed. */
  final void stretch(int span, long from, long to) {
    boolean isNew = !isTimed(span);
    start[span] = isNew ? from : Math.min(start[span], from);
    end[span] = isNew ? to : Math.max(end[span], to);
    flags[span] &= ~UNTIMED;
  }

  /** A span ended by then, but not before its start. */
  final void shorten(int span, long to) {
    if (to < end[span]) {
      endsBeforeCut.put(span, end[span]);
      end[span] = Math.max(start[span], to);
    }
  }

  /** Its end, if it was not shortened. */
  public final long endBeforeCut(int span) {
    return endsBeforeCut.getOrDefault(span, end[span]);
  }
}
