package io.rollotel.traces.otlp;

import java.util.Arrays;

/**
 * Translates a protobuf export request into a line of OTLP/JSON.
 *
 * <p>No message becomes an object. The first pass notes the positions of a message's fields; the
 * second writes the fields in the order of {@link OtlpMessage}'s table. The first pass skips a
 * nested message by its length; the second reads it.
 */
public final class LineTranslator {

  private static final int MAX_DEPTH = 64;

  private final JsonLine json;
  private final WireCursor wire = new WireCursor();

  /**
   * A frame of {@link OtlpMessage#SLOTS} for each level: the position of each field's value, 0 for
   * none.
   */
  private final int[] positions = new int[MAX_DEPTH * OtlpMessage.SLOTS];

  private int records;

  public LineTranslator(JsonLine json) {
    this.json = json;
  }

  /**
   * Appends the request, without a newline.
   *
   * @return the number of spans, log records or data points in it
   */
  public int translate(Signal signal, byte[] request, int offset, int length)
      throws MalformedRequestException {
    records = 0;
    wire.start(request, offset, length);
    try {
      content(signal.request(), 0);
    } finally {
      wire.release();
    }
    return records;
  }

  private void message(OtlpMessage type, int depth) throws MalformedRequestException {
    if (depth == MAX_DEPTH) {
      throw wire.malformed("messages nested more than " + MAX_DEPTH + " deep", wire.position());
    }
    int outerEnd = wire.enter();
    content(type, depth);
    wire.leave(outerEnd);
  }

  private void content(OtlpMessage type, int depth) throws MalformedRequestException {
    if (type.isRecord()) {
      records++;
    }
    int frame = depth * OtlpMessage.SLOTS;
    int start = wire.position();
    int last = locateFields(type, frame);
    json.startObject();
    if (type.isOneof()) {
      OtlpField field = type.field(last);
      if (field != null) {
        field(field, positions[frame + last], depth);
      }
    } else {
      for (OtlpField field : type.inJsonOrder()) {
        int position = positions[frame + field.number()];
        if (field.isOneof() ? field.number() == last : position != 0) {
          field(field, position, depth);
        } else if (!field.isOneof()) {
          absent(field, start);
        }
      }
    }
    json.endObject();
  }

  /**
   * Notes the position of each known field: its last value, or the first of a repeated one; returns
   * the number of the oneof's effective field.
   */
  private int locateFields(OtlpMessage type, int frame) throws MalformedRequestException {
    Arrays.fill(positions, frame, frame + type.slots(), 0);
    int last = 0;
    while (wire.next()) {
      OtlpField field = type.field(wire.field());
      if (field != null) {
        if (!field.kind().accepts(wire.wireType())) {
          throw wire.malformed(
              "wire type " + wire.wireType() + " for " + field.name(), wire.position());
        }
        if (field.isOneof()) {
          last = field.number();
        }
        int slot = frame + field.number();
        if (!field.kind().isRepeated() || positions[slot] == 0) {
          // The encoding of a repeated number may differ from value to value, so its tag is read
          // again.
          positions[slot] = field.kind().isRepeatedNumber() ? wire.tagPosition() : wire.position();
        }
      }
      wire.skip();
    }
    return last;
  }

  private void absent(OtlpField field, int messageStart) throws MalformedRequestException {
    switch (field.kind()) {
      case TRACE_ID, SPAN_ID -> throw wire.malformed(field.missing(), messageStart);
      case MESSAGE -> {
        json.key(field.key());
        json.startObject();
        json.endObject();
      }
      default -> {}
    }
  }

  /**
   * Writes a field; outside a oneof not if zero or empty.
   *
   * <p>Each kind has its own method: the JIT compiler takes seconds for one method with all of
   * them.
   */
  private void field(OtlpField field, int position, int depth) throws MalformedRequestException {
    wire.moveTo(position);
    switch (field.kind()) {
      case TRACE_ID -> id(field, 16);
      case SPAN_ID -> id(field, 8);
      case OPTIONAL_TRACE_ID -> optionalId(field, 16);
      case OPTIONAL_SPAN_ID -> optionalId(field, 8);
      case STRING -> string(field);
      case BASE64 -> base64(field);
      case FIXED32 -> number(field, Integer.toUnsignedLong(wire.fixed32()));
      case FIXED64 -> fixed64(field);
      case BOOL, INT64, ENUM, UINT32, SINT32 -> varint(field);
      case SFIXED64 -> quoted(field, wire.fixed64());
      case DOUBLE, OPTIONAL_DOUBLE -> floating(field);
      case REPEATED_FIXED64, REPEATED_UINT64, REPEATED_DOUBLE -> numbers(field);
      case REPEATED_STRING -> strings(field);
      case MESSAGE -> {
        json.key(field.key());
        message(field.message(), depth + 1);
      }
      case REPEATED_MESSAGE -> {
        if (field.message() == OtlpMessage.KEY_VALUE && depth < MAX_DEPTH - 2) {
          attributes(field, depth);
        } else {
          messages(field, depth);
        }
      }
    }
  }

  private void messages(OtlpField field, int depth) throws MalformedRequestException {
    json.key(field.key());
    json.startArray();
    do {
      message(field.message(), depth + 1);
    } while (nextOf(field));
    json.endArray();
  }

  /** Moves to the next value of a repeated field. */
  private boolean nextOf(OtlpField field) throws MalformedRequestException {
    while (wire.next()) {
      if (wire.field() == field.number()) {
        return true;
      }
      wire.skip();
    }
    return false;
  }

  /** As in {@link #messages}: these are most of the data. */
  private void attributes(OtlpField field, int depth) throws MalformedRequestException {
    json.key(field.key());
    json.startArray();
    do {
      if (!PlainAttribute.write(wire, json)) {
        message(field.message(), depth + 1);
      }
    } while (nextOf(field));
    json.endArray();
  }

  private void strings(OtlpField field) throws MalformedRequestException {
    json.key(field.key());
    json.startArray();
    do {
      string(field, wire.length());
    } while (nextOf(field));
    json.endArray();
  }

  private void string(OtlpField field) throws MalformedRequestException {
    int length = wire.length();
    if (length != 0 || field.isOneof()) {
      json.key(field.key());
      string(field, length);
    }
  }

  private void base64(OtlpField field) throws MalformedRequestException {
    int length = wire.length();
    if (length != 0 || field.isOneof()) {
      json.key(field.key());
      json.base64(wire.bytes(), wire.position(), length);
    }
  }

  private void varint(OtlpField field) throws MalformedRequestException {
    long value = wire.varint();
    switch (field.kind()) {
      case BOOL -> {
        if (value != 0 || field.isOneof()) {
          json.key(field.key());
          json.bool(value != 0);
        }
      }
      case INT64 -> quoted(field, value);
      case ENUM -> {
        int number = (int) value; // a negative one has ten bytes
        number(field, number);
      }
      case SINT32 -> {
        int zigzag = (int) value;
        number(field, (zigzag >>> 1) ^ -(zigzag & 1));
      }
      default -> number(field, value & 0xffff_ffffL);
    }
  }

  private void quoted(OtlpField field, long value) {
    if (value != 0 || field.isOneof()) {
      json.key(field.key());
      json.quotedNumber(value);
    }
  }

  private void fixed64(OtlpField field) throws MalformedRequestException {
    long value = wire.fixed64();
    if (value != 0) {
      json.key(field.key());
      json.quotedUnsignedNumber(value);
    }
  }

  private void floating(OtlpField field) throws MalformedRequestException {
    long bits = wire.fixed64();
    if (bits != 0 || field.isOneof() || field.kind() == OtlpField.Kind.OPTIONAL_DOUBLE) {
      json.key(field.key());
      json.number(Double.longBitsToDouble(bits));
    }
  }

  private void number(OtlpField field, long value) {
    if (value != 0) {
      json.key(field.key());
      json.number(value);
    }
  }

  /** Writes a repeated number, all its values in whichever encoding; nothing if it has none. */
  private void numbers(OtlpField field) throws MalformedRequestException {
    boolean isStarted = false;
    while (wire.next()) {
      if (wire.field() != field.number()) {
        wire.skip();
        continue;
      }
      boolean isPacked = wire.wireType() == WireCursor.DELIMITED;
      int outerEnd = isPacked ? wire.enter() : 0;
      while (!isPacked || wire.hasMore()) {
        if (!isStarted) {
          json.key(field.key());
          json.startArray();
          isStarted = true;
        }
        switch (field.kind()) {
          case REPEATED_DOUBLE -> json.number(Double.longBitsToDouble(wire.fixed64()));
          case REPEATED_UINT64 -> json.quotedUnsignedNumber(wire.varint());
          default -> json.quotedUnsignedNumber(wire.fixed64());
        }
        if (!isPacked) {
          break;
        }
      }
      if (isPacked) {
        wire.leave(outerEnd);
      }
    }
    if (isStarted) {
      json.endArray();
    }
  }

  private void string(OtlpField field, int length) throws MalformedRequestException {
    int start = wire.position();
    int bad = json.string(wire.bytes(), start, length);
    if (bad >= 0) {
      throw wire.malformed("invalid UTF-8 in " + field.name(), bad);
    }
    wire.moveTo(start + length);
  }

  private void id(OtlpField field, int size) throws MalformedRequestException {
    int length = wire.length();
    if (length != size) {
      throw wire.malformed(
          field.name() + " of " + length + " bytes instead of " + size, wire.position());
    }
    json.key(field.key());
    json.hex(wire.bytes(), wire.position(), length);
  }

  private void optionalId(OtlpField field, int size) throws MalformedRequestException {
    int position = wire.position();
    int length = wire.length();
    int first = wire.position();
    boolean isZero = true;
    for (int i = first; i < first + length; i++) {
      isZero &= wire.bytes()[i] == 0;
    }
    // Some senders give the invalid id, all zeros, for none.
    if (length != 0 && !(length == size && isZero)) {
      wire.moveTo(position);
      id(field, size);
    }
  }
}
