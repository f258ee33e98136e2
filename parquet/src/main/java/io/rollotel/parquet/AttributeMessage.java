package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One attribute of a request: its key, and its value by kind. Used again for the next. */
final class AttributeMessage {

  // The field numbers of AnyValue.
  static final int NONE = 0;
  static final int STRING = 1;
  static final int BOOL = 2;
  static final int INT = 3;
  static final int DOUBLE = 4;
  static final int ARRAY = 5;
  static final int MAP = 6;
  static final int BYTES = 7;

  private int keyStart;
  private int keyLength;
  private int kind;
  private long number;
  private int valueStart;
  private int valueLength;

  /** Reads the attribute at whose length the cursor is, and moves the cursor after it. */
  void read(WireCursor wire) throws MalformedRequestException {
    keyLength = 0;
    kind = NONE;
    int outer = wire.enter();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> {
          keyLength = wire.length();
          keyStart = wire.position();
          wire.moveTo(keyStart + keyLength);
        }
        case 2 -> readValue(wire);
        default -> wire.skip();
      }
    }
    wire.leave(outer);
  }

  /** Reads the value at whose length the cursor is, and moves the cursor after it. */
  void readValue(WireCursor wire) throws MalformedRequestException {
    kind = NONE;
    int outer = wire.enter();
    while (wire.next()) {
      int field = wire.field();
      switch (field) {
        case BOOL, INT -> number = wire.varint();
        case DOUBLE -> number = wire.fixed64();
        case STRING, BYTES -> {
          valueLength = wire.length();
          valueStart = wire.position();
          wire.moveTo(valueStart + valueLength);
        }
        case ARRAY, MAP -> {
          valueStart = wire.position(); // at its length
          wire.skip();
        }
        default -> {
          wire.skip();
          continue;
        }
      }
      kind = field; // the last of several counts
    }
    wire.leave(outer);
  }

  int keyStart() {
    return keyStart;
  }

  int keyLength() {
    return keyLength;
  }

  /** One of the numbers above. */
  int kind() {
    return kind;
  }

  /** A boolean as 0 or 1, a double as its bits. */
  long number() {
    return number;
  }

  int valueStart() {
    return valueStart;
  }

  /** Of a text or of bytes. */
  int valueLength() {
    return valueLength;
  }

  boolean hasKey(byte[] request, byte[] key) {
    return keyLength == key.length
        && Arrays.equals(request, keyStart, keyStart + keyLength, key, 0, key.length);
  }

  /** A scalar as text; null for all others. */
  byte @Nullable [] text(byte[] request) {
    return switch (kind) {
      case STRING -> Arrays.copyOfRange(request, valueStart, valueStart + valueLength);
      case BOOL -> (number != 0 ? "true" : "false").getBytes(UTF_8);
      case INT -> Long.toString(number).getBytes(UTF_8);
      case DOUBLE -> Double.toString(Double.longBitsToDouble(number)).getBytes(UTF_8);
      default -> null;
    };
  }

  /** A whole number, given as such or as text; null for all others. */
  @Nullable Long wholeNumber(byte[] request) {
    if (kind == INT) {
      return number;
    }
    try {
      return kind == STRING && valueLength <= 19
          ? Long.valueOf(new String(request, valueStart, valueLength, UTF_8))
          : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
