package io.rollotel.traces.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.TraceWeight;
import io.rollotel.traces.otlp.WireBuffer;
import io.rollotel.traces.otlp.WireCursor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A process's recorder file, as of the time of reading.
 *
 * @param resource the process
 * @param pid its process id
 * @param isAlive whether it is alive, as far as this process can tell
 * @param hasExited whether it ended in order, for example by a signal, with these spans open
 * @param openedEpochNanos when the recorder was opened
 * @param lastSignEpochNanos until when it is known to have been alive; now if it is alive
 * @param open its spans that have not ended, the last started first
 * @param ended its spans that have ended and are not known to have been exported, in their order;
 *     they have no attributes but {@link #RECOVERED}
 * @param unrecordedSpans spans without room among the open ones
 * @param overwrittenSpans ended spans that were overwritten before they were exported
 * @param tornSpans spans that were being written at the time of reading
 * @param droppedSpans ended spans that were neither delivered nor written into the own file
 */
public record Recording(
    Path file,
    Resource resource,
    long pid,
    boolean isAlive,
    boolean hasExited,
    long openedEpochNanos,
    long lastSignEpochNanos,
    List<OpenSpan> open,
    List<Span> ended,
    long unrecordedSpans,
    long overwrittenSpans,
    long tornSpans,
    long droppedSpans) {

  /** The attribute of a span from a recorder file: its other attributes are lost. */
  public static final String RECOVERED = "roll.recovered";

  /** Whether its process is gone and did not end in order. */
  public boolean hasDied() {
    return !isAlive && !hasExited;
  }

  /** Whether a sweep has moved its ended spans into the traces: then its process is dead. */
  public boolean isSwept() {
    return Recordings.isSwept(file);
  }

  /** How long a span has been open, at the last sign of life; 0 if the clock was set back. */
  public long ageNanos(OpenSpan span) {
    return Math.max(0, lastSignEpochNanos - span.startEpochNanos());
  }

  /** The same without the open spans that have ended in the meantime. */
  public Recording without(Predicate<OpenSpan> hasEnded) {
    return withOpen(open.stream().filter(hasEnded.negate()).toList());
  }

  /** The same with other open spans. */
  public Recording withOpen(List<OpenSpan> others) {
    return new Recording(
        file,
        resource,
        pid,
        isAlive,
        hasExited,
        openedEpochNanos,
        lastSignEpochNanos,
        others,
        ended,
        unrecordedSpans,
        overwrittenSpans,
        tornSpans,
        droppedSpans);
  }

  /** Whether it tells the user something once its process is gone and its ended spans are moved. */
  public boolean isWorthKeeping() {
    return !open.isEmpty() || droppedSpans != 0;
  }

  /** The same with these ended spans. */
  public Recording withEnded(List<Span> others) {
    return new Recording(
        file,
        resource,
        pid,
        isAlive,
        hasExited,
        openedEpochNanos,
        lastSignEpochNanos,
        open,
        others,
        unrecordedSpans,
        overwrittenSpans,
        tornSpans,
        droppedSpans);
  }

  /** The ended spans as an export request in protobuf's wire format. */
  public byte[] request() {
    WireBuffer wire = new WireBuffer();
    int resourceSpans = begin(wire, 1);
    int attributes = begin(wire, 1);
    resource.attributes().forEach((key, value) -> attribute(wire, 1, key, value));
    wire.endMessage(attributes);
    Map<String, List<Span>> byScope = new LinkedHashMap<>();
    ended.forEach(
        span -> byScope.computeIfAbsent(span.scopeName(), name -> new ArrayList<>()).add(span));
    byScope.forEach((name, spans) -> scope(wire, name, spans));
    wire.endMessage(resourceSpans);
    byte[] request = new byte[wire.length()];
    System.arraycopy(wire.bytes(), 0, request, 0, request.length);
    return request;
  }

  private static int begin(WireBuffer wire, int number) {
    wire.tag(number, WireCursor.DELIMITED);
    return wire.length();
  }

  private static void scope(WireBuffer wire, String name, List<Span> spans) {
    int scopeSpans = begin(wire, 2);
    int scope = begin(wire, 1);
    wire.bytes(1, name.getBytes(UTF_8));
    wire.endMessage(scope);
    for (Span span : spans) {
      int start = begin(wire, 2);
      wire.hex(1, span.traceId());
      wire.hex(2, span.spanId());
      if (!span.thinnedTraceId().isEmpty()) {
        wire.text(3, TraceWeight.moved("", span.thinnedTraceId()));
      }
      if (!span.parentSpanId().isEmpty()) {
        wire.hex(4, span.parentSpanId());
      }
      wire.bytes(5, span.name().getBytes(UTF_8));
      wire.varint(6, span.kind());
      wire.fixed64(7, span.startEpochNanos());
      wire.fixed64(8, span.endEpochNanos());
      span.attributes().forEach((key, value) -> attribute(wire, 9, key, value));
      int status = begin(wire, 15);
      if (span.statusCode() != 0) {
        wire.varint(3, span.statusCode());
      }
      wire.endMessage(status);
      wire.endMessage(start);
    }
    wire.endMessage(scopeSpans);
  }

  private static void attribute(WireBuffer wire, int number, String key, Object value) {
    int start = begin(wire, number);
    wire.bytes(1, key.getBytes(UTF_8));
    int any = begin(wire, 2);
    if (value instanceof Boolean is) {
      wire.varint(2, is ? 1 : 0);
    } else if (value instanceof Long integer) {
      wire.varint(3, integer);
    } else if (value instanceof Double number64) {
      wire.fixed64(4, Double.doubleToRawLongBits(number64));
    } else {
      wire.bytes(1, value.toString().getBytes(UTF_8));
    }
    wire.endMessage(any);
    wire.endMessage(start);
  }
}
