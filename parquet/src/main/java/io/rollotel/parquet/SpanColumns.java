package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.TraceWeight;
import io.rollotel.traces.otlp.WireCursor;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** The columns of a row group, to which spans are written one after the other. */
final class SpanColumns {

  private static final byte[] HEX = "0123456789abcdef".getBytes(US_ASCII);

  // Attributes of spans that have columns of their own.
  private static final byte[] RANK_KEY = "roll.rank".getBytes(US_ASCII);
  private static final byte[] CLUSTER_KEY = "roll.cluster_name".getBytes(US_ASCII);
  private static final byte[] QUEUE_KEY = "roll.queue_ns".getBytes(US_ASCII);
  private static final byte[] STEP_KEY = "global_step".getBytes(US_ASCII);

  // Those that a resource may have as well.
  private static final int RANK = Origin.TEXTS.indexOf("roll_rank");
  private static final int CLUSTER = Origin.TEXTS.indexOf("roll_cluster_name");

  private static final Binary[] KINDS = constants(SpanLines.KINDS);

  private static final Binary[] STATUS_CODES = constants(SpanLines.STATUS_CODES);

  private final ColumnWriteStore store;

  private final ColumnWriter traceId;
  private final ColumnWriter spanId;
  private final ColumnWriter parentId;
  private final ColumnWriter traceState;
  private final ColumnWriter flags;
  private final ColumnWriter name;
  private final ColumnWriter kind;
  private final ColumnWriter start;
  private final ColumnWriter startNanos;
  private final ColumnWriter endNanos;
  private final ColumnWriter duration;
  private final ColumnWriter statusCode;
  private final ColumnWriter statusMessage;
  private final ColumnWriter adjustedCount;
  private final ColumnWriter queue;
  private final ColumnWriter step;
  private final ColumnWriter droppedAttributes;
  private final ColumnWriter droppedEvents;
  private final ColumnWriter droppedLinks;

  /** Of resource and scope, as {@link Origin} numbers them. */
  private final ColumnWriter[] texts;

  private final ColumnWriter[] numbers;
  private final AttributeColumns attributes;
  private final EventColumns events;
  private final LinkColumns links;

  // Spans of a trace, and of a parent, come together.
  private final LastId lastTraceId = new LastId(SpanMessage.TRACE_ID_BYTES);
  private final LastId lastParentId = new LastId(SpanMessage.SPAN_ID_BYTES);
  private final byte[] spanHex = new byte[2 * SpanMessage.SPAN_ID_BYTES];

  private String lastState = "";
  private double lastCount = 1;

  // The attributes of the current span that have columns of their own.
  private byte @Nullable [] ofRank;
  private byte @Nullable [] ofCluster;
  private @Nullable Long ofQueue;
  private @Nullable Long ofStep;

  SpanColumns(ColumnWriteStore store) {
    this.store = store;
    this.traceId = writer("trace_id");
    this.spanId = writer("span_id");
    this.parentId = writer("parent_span_id");
    this.traceState = writer("trace_state");
    this.flags = writer("flags");
    this.name = writer("name");
    this.kind = writer("kind");
    this.start = writer("start_time");
    this.startNanos = writer("start_time_unix_nano");
    this.endNanos = writer("end_time_unix_nano");
    this.duration = writer("duration_nano");
    this.statusCode = writer("status_code");
    this.statusMessage = writer("status_message");
    this.adjustedCount = writer("adjusted_count");
    this.queue = writer("roll_queue_ns");
    this.step = writer("global_step");
    this.droppedAttributes = writer("dropped_attributes_count");
    this.droppedEvents = writer("dropped_events_count");
    this.droppedLinks = writer("dropped_links_count");
    this.texts = Origin.TEXTS.stream().map(this::writer).toArray(ColumnWriter[]::new);
    this.numbers = Origin.NUMBERS.stream().map(this::writer).toArray(ColumnWriter[]::new);
    this.attributes = new AttributeColumns(store, "attributes");
    this.events = new EventColumns(store);
    this.links = new LinkColumns(store);
  }

  private ColumnWriter writer(String column) {
    return store.getColumnWriter(SpanSchema.SPAN.getColumnDescription(new String[] {column}));
  }

  private static Binary[] constants(List<String> texts) {
    return texts.stream()
        .map(text -> Binary.fromConstantByteArray(text.getBytes(US_ASCII)))
        .toArray(Binary[]::new);
  }

  /** Writes a span of a request. */
  void write(WireCursor wire, SpanMessage span, Origin origin) throws MalformedRequestException {
    byte[] request = wire.bytes();
    ofRank = null;
    ofCluster = null;
    ofQueue = null;
    ofStep = null;
    attributes.write(wire, span.attributes, 0, this::see);
    events.write(wire, span.events);
    links.write(wire, span.links);

    traceId.write(lastTraceId.of(request, span.traceId), 0, 0);
    spanId.write(hex(request, span.spanId, spanHex), 0, 0);
    parent(request, span.parentId);
    text(traceState, request, span.traceState);
    count(flags, span.flags);
    name.write(Binary.fromReusedByteArray(request, span.name.start(), span.name.length()), 0, 0);
    kind.write(constant(KINDS, span.kind), 0, 0);
    times(span.startNanos, span.endNanos);
    statusCode.write(constant(STATUS_CODES, span.statusCode), 0, 0);
    text(statusMessage, request, span.statusMessage);
    adjustedCount.write(adjustedCount(request, span.traceState), 0, 0);
    count(droppedAttributes, span.droppedAttributes);
    count(droppedEvents, span.droppedEvents);
    count(droppedLinks, span.droppedLinks);

    for (int i = 0; i < texts.length; i++) {
      byte[] ofSpan = i == RANK ? ofRank : i == CLUSTER ? ofCluster : null;
      Binary text = origin.text(i);
      text(texts[i], text != null || ofSpan == null ? text : binary(ofSpan));
    }
    for (int i = 0; i < numbers.length; i++) {
      number(numbers[i], origin.number(i));
    }
    number(queue, ofQueue);
    number(step, ofStep);
  }

  private static Binary binary(byte[] text) {
    return Binary.fromConstantByteArray(text);
  }

  /** The length distinguishes nearly all keys from these. */
  private void see(byte[] request, AttributeMessage attribute) {
    if (attribute.hasKey(request, QUEUE_KEY)) {
      ofQueue = attribute.wholeNumber(request);
    } else if (attribute.hasKey(request, STEP_KEY)) {
      ofStep = attribute.wholeNumber(request);
    } else if (attribute.hasKey(request, RANK_KEY)) {
      ofRank = attribute.text(request);
    } else if (attribute.hasKey(request, CLUSTER_KEY)) {
      ofCluster = attribute.text(request);
    }
  }

  private void parent(byte[] request, SpanMessage.Slice id) {
    boolean isZero = true;
    for (int i = 0; i < id.length(); i++) {
      isZero &= request[id.start() + i] == 0;
    }
    if (isZero) {
      parentId.writeNull(0, 0);
    } else {
      parentId.write(lastParentId.of(request, id.start()), 0, 1);
    }
  }

  private void times(long startOf, long endOf) {
    startNanos.write(startOf, 0, 0);
    endNanos.write(endOf, 0, 0);
    if (startOf > 0) {
      start.write(startOf / 1000, 0, 1);
    } else {
      start.writeNull(0, 0); // none, or beyond the year 2262
    }
    if (startOf > 0 && endOf > 0) {
      duration.write(endOf - startOf, 0, 1);
    } else {
      duration.writeNull(0, 0);
    }
  }

  /** Most spans have the same state as the previous one. */
  private double adjustedCount(byte[] request, SpanMessage.Slice state) {
    if (state.length() == 0) {
      return 1;
    }
    String text = new String(request, state.start(), state.length(), UTF_8);
    if (!text.equals(lastState)) {
      lastState = text;
      lastCount = TraceWeight.of(text);
    }
    return lastCount;
  }

  /** Fills the target, which is valid until the next call. */
  static Binary hex(byte[] request, int from, byte[] target) {
    for (int i = 0; i < target.length / 2; i++) {
      int value = request[from + i];
      target[2 * i] = HEX[value >> 4 & 15];
      target[2 * i + 1] = HEX[value & 15];
    }
    return Binary.fromReusedByteArray(target);
  }

  private static Binary constant(Binary[] known, int number) {
    return number >= 0 && number < known.length
        ? known[number]
        : binary(Integer.toString(number).getBytes(US_ASCII));
  }

  private static void text(ColumnWriter to, byte[] request, SpanMessage.Slice text) {
    text(
        to,
        text.length() == 0
            ? null
            : Binary.fromReusedByteArray(request, text.start(), text.length()));
  }

  private static void text(ColumnWriter to, @Nullable Binary text) {
    if (text == null) {
      to.writeNull(0, 0);
    } else {
      to.write(text, 0, 1);
    }
  }

  private static void number(ColumnWriter to, @Nullable Long number) {
    if (number == null) {
      to.writeNull(0, 0);
    } else {
      to.write(number.longValue(), 0, 1);
    }
  }

  private static void count(ColumnWriter to, long count) {
    if (count == 0) {
      to.writeNull(0, 0);
    } else {
      to.write(count, 0, 1);
    }
  }

  /** An id as text; the same object as long as the id does not change. */
  private static final class LastId {
    private final byte[] id;
    private Binary text = Binary.EMPTY;

    LastId(int bytes) {
      this.id = new byte[bytes];
    }

    Binary of(byte[] request, int from) {
      if (text.length() == 0 || !Arrays.equals(request, from, from + id.length, id, 0, id.length)) {
        System.arraycopy(request, from, id, 0, id.length);
        text = binary(hex(id, 0, new byte[2 * id.length]).getBytes());
      }
      return text;
    }
  }
}
