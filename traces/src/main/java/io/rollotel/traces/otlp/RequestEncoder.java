package io.rollotel.traces.otlp;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/**
 * Translates a request in OTLP/JSON into protobuf's wire format: the reverse of {@link
 * LineTranslator}.
 *
 * <p>Accepts keys in any order, in camel or snake case; skips unknown ones. For use by one thread.
 */
public final class RequestEncoder {

  private static final int MAX_DEPTH = 64;

  // By identity: a link's ids are other fields.
  private static final @Nullable OtlpField SPAN_TRACE_ID = OtlpMessage.SPAN.field("traceId");
  private static final @Nullable OtlpField SPAN_SPAN_ID = OtlpMessage.SPAN.field("spanId");
  private static final @Nullable OtlpField SPAN_STATE = OtlpMessage.SPAN.field("traceState");
  private static final @Nullable OtlpField SPAN_PARENT_ID = OtlpMessage.SPAN.field("parentSpanId");

  private final WireBuffer wire = new WireBuffer(WireBuffer.MAX_REQUEST_BYTES);
  private final @Nullable SeenSpans seen;
  private final CallJoins joins;

  // Of the current request.
  private int mostBytes;
  private int records;
  private int duplicates;
  private @Nullable Signal signal;
  private String traceId = "";
  private String spanId = "";
  private String parentSpanId = "";
  private String traceState = "";

  /** Trace and span alternately: the spans that the request has added to those seen. */
  private final List<String> added = new ArrayList<>();

  /** An encoder that keeps all spans unchanged. */
  public RequestEncoder() {
    this(null, CallJoins.NONE);
  }

  /**
   * An encoder.
   *
   * @param seen the spans to leave out, to which the request's are added unless it is refused; null
   *     to leave out none
   * @param joins which traces become parts of others, wherever their ids stand
   */
  public RequestEncoder(@Nullable SeenSpans seen, CallJoins joins) {
    this.seen = seen;
    this.joins = joins;
  }

  /**
   * Encodes one JSON value, and discards the previous result. {@link LineTranslator} accepts the
   * request.
   *
   * @param expected the request's signal; null to determine it from its key
   * @throws UnreadableLineException if it is not a request
   * @throws IOException if it cannot be read
   */
  public void encode(InputStream in, @Nullable Signal expected)
      throws IOException, UnreadableLineException {
    try {
      encode(
          JacksonCursor.JSON.createParser(ObjectReadContext.empty(), in),
          expected,
          Integer.MAX_VALUE);
    } catch (JacksonIOException e) {
      throw JacksonCursor.failure(e);
    }
  }

  /** The same for bytes in memory, which costs less. */
  public void encode(byte[] bytes, int offset, int length, @Nullable Signal expected)
      throws UnreadableLineException {
    encode(bytes, offset, length, expected, Integer.MAX_VALUE);
  }

  /**
   * The same for bytes from somebody who may send anything.
   *
   * @param most a request whose numbers take more bytes than this in protobuf is refused
   */
  public void encode(byte[] bytes, int offset, int length, @Nullable Signal expected, int most)
      throws UnreadableLineException {
    try {
      encode(
          JacksonCursor.JSON.createParser(ObjectReadContext.empty(), bytes, offset, length),
          expected,
          most);
    } catch (JacksonIOException e) {
      throw new UnreadableLineException(e.getOriginalMessage()); // bytes of no known encoding
    }
  }

  private void encode(JsonParser opened, @Nullable Signal expected, int most)
      throws UnreadableLineException {
    wire.clear();
    mostBytes = most;
    records = 0;
    duplicates = 0;
    added.clear();
    signal = expected;
    boolean isWhole = false;
    try (JsonParser parser = opened) {
      if (parser.nextToken() == null) {
        throw new UnreadableLineException("no JSON value");
      }
      request(new JacksonCursor(parser));
      if (parser.nextToken() != null) {
        throw new UnreadableLineException("more than one JSON value");
      }
      isWhole = true;
    } catch (JacksonIOException e) {
      throw e;
    } catch (UnexpectedEndOfInputException e) {
      throw new UnreadableLineException(e.getOriginalMessage(), true);
    } catch (JacksonException e) {
      throw new UnreadableLineException(e.getOriginalMessage());
    } finally {
      if (!isWhole) {
        refuse();
      }
    }
  }

  /**
   * Removes the last request's spans from those seen: it was not accepted, so a later copy of them
   * is the first.
   */
  public void refuse() {
    if (seen != null) {
      for (int i = 0; i < added.size(); i += 2) {
        seen.remove(added.get(i), added.get(i + 1));
      }
    }
    added.clear();
  }

  /** Whether it keeps the memory of a large request. */
  public boolean isLarge() {
    return wire.isLarge();
  }

  /** The signal by the request's key; null if it has no known key. */
  public @Nullable Signal signal() {
    return signal;
  }

  /** The number of spans, log records or data points in the request as encoded. */
  public int records() {
    return records;
  }

  /** The number of skipped spans. */
  public int duplicates() {
    return duplicates;
  }

  /** The request, of which {@link #length} bytes are valid until the next one is encoded. */
  public byte[] bytes() {
    return wire.bytes();
  }

  public int length() {
    return wire.length();
  }

  private void request(JacksonCursor json) throws UnreadableLineException {
    if (!json.entersObject("the request")) {
      throw new UnreadableLineException("the request is null");
    }
    for (String key = json.nextKey(); key != null; key = json.nextKey()) {
      for (Signal known : Signal.values()) {
        if (signal == null && known.request().field(key) != null) {
          signal = known;
        }
      }
      OtlpField field = signal == null ? null : signal.request().field(key);
      if (field == null) {
        json.skip();
      } else {
        field(json, field, 1);
      }
    }
  }

  private void message(JacksonCursor json, OtlpField of, int depth) throws UnreadableLineException {
    if (depth == MAX_DEPTH) {
      throw new UnreadableLineException("nested more than " + MAX_DEPTH + " deep");
    }
    if (!json.entersObject(of.name())) {
      return; // null is absent
    }
    OtlpMessage type = of.message();
    int rollback = wire.length();
    int start = wire.beginMessage(of.number());
    int missing = type.requiredFields();
    for (String key = json.nextKey(); key != null; key = json.nextKey()) {
      OtlpField field = type.field(key);
      if (field == null) {
        json.skip();
      } else {
        int before = wire.length();
        field(json, field, depth + 1);
        if (wire.length() != before) {
          missing &= ~(1 << field.number());
        }
      }
    }
    OtlpField required = missing == 0 ? null : type.field(Integer.numberOfTrailingZeros(missing));
    if (required != null) {
      throw new UnreadableLineException(required.missing());
    }
    if (type == OtlpMessage.SPAN && endsDuplicate()) {
      wire.backTo(rollback);
      return;
    }
    if (type.isRecord()) {
      records++;
    }
    wire.endMessage(start);
  }

  /** Whether to skip the span that ends here; if not, it is joined to its sender. */
  private boolean endsDuplicate() {
    boolean isDuplicate = false;
    if (seen != null && !traceId.isEmpty() && !spanId.isEmpty()) {
      isDuplicate = !seen.add(traceId, spanId);
      if (!isDuplicate) {
        added.add(traceId);
        added.add(spanId);
      }
    }
    if (isDuplicate) {
      duplicates++;
    } else if (!joins.traceId(traceId).equals(traceId)) {
      if (parentSpanId.isEmpty() && SPAN_PARENT_ID != null) {
        wire.hex(SPAN_PARENT_ID.number(), joins.parentSpanId(traceId));
      }
      if (joins.isWeighted() && SPAN_STATE != null) {
        wire.text(SPAN_STATE.number(), TraceWeight.moved(traceState, traceId));
      }
    }
    traceId = "";
    spanId = "";
    parentSpanId = "";
    traceState = "";
    return isDuplicate;
  }

  private void field(JacksonCursor json, OtlpField field, int depth)
      throws UnreadableLineException {
    if (json.isNull()) {
      return;
    }
    String name = field.name();
    int number = field.number();
    switch (field.kind()) {
      case TRACE_ID, OPTIONAL_TRACE_ID -> traceId(json, field);
      case SPAN_ID, OPTIONAL_SPAN_ID -> spanId(json, field);
      case STRING -> {
        if (field == SPAN_STATE && joins.isWeighted()) {
          traceState = json.text(name);
          wire.text(number, traceState); // the last of two counts
        } else {
          json.text(name, wire, number);
        }
      }
      case REPEATED_STRING -> {
        for (boolean more = json.entersArray(name); more; more = json.hasNext()) {
          json.text(name, wire, number);
        }
      }
      case BASE64 -> wire.bytes(number, json.bytes(name));
      case BOOL -> wire.varint(number, json.bool(name) ? 1 : 0);
      case INT64 -> wire.varint(number, json.integer(name));
      case ENUM -> wire.varint(number, json.enumNumber(name));
      case SINT32 -> {
        int value = (int) json.integer(name);
        wire.varint(number, Integer.toUnsignedLong((value << 1) ^ (value >> 31)));
      }
      case UINT32 -> wire.varint(number, json.integer(name) & 0xffff_ffffL);
      case FIXED32 -> wire.fixed32(number, (int) json.integer(name));
      case FIXED64 -> wire.fixed64(number, json.unsigned(name));
      case SFIXED64 -> wire.fixed64(number, json.integer(name));
      case DOUBLE, OPTIONAL_DOUBLE ->
          wire.fixed64(number, Double.doubleToRawLongBits(json.floating(name)));
      case REPEATED_FIXED64 -> {
        for (boolean more = json.entersArray(name); more; more = json.hasNext()) {
          wire.fixed64(number, json.unsigned(name));
          checkRoom(name);
        }
      }
      case REPEATED_UINT64 -> {
        for (boolean more = json.entersArray(name); more; more = json.hasNext()) {
          wire.varint(number, json.unsigned(name));
          checkRoom(name);
        }
      }
      case REPEATED_DOUBLE -> {
        for (boolean more = json.entersArray(name); more; more = json.hasNext()) {
          wire.fixed64(number, Double.doubleToRawLongBits(json.floating(name)));
          checkRoom(name);
        }
      }
      case MESSAGE -> message(json, field, depth);
      case REPEATED_MESSAGE -> {
        for (boolean more = json.entersArray(name); more; more = json.hasNext()) {
          message(json, field, depth);
        }
      }
    }
  }

  private void checkRoom(String name) throws UnreadableLineException {
    if (wire.length() > mostBytes) {
      throw new UnreadableLineException(
          "too many numbers in " + name + ": send smaller batches, or protobuf");
    }
  }

  private void traceId(JacksonCursor json, OtlpField field) throws UnreadableLineException {
    String id = json.optionalId(field.name(), 32);
    if (!id.isEmpty()) {
      wire.hex(field.number(), joins.traceId(id));
    }
    if (field == SPAN_TRACE_ID) {
      traceId = id;
    }
  }

  private void spanId(JacksonCursor json, OtlpField field) throws UnreadableLineException {
    String id = json.optionalId(field.name(), 16);
    if (!id.isEmpty()) {
      wire.hex(field.number(), id);
    }
    if (field == SPAN_SPAN_ID) {
      spanId = id;
    } else if (field == SPAN_PARENT_ID) {
      parentSpanId = id;
    }
  }
}
