package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;

/** A field of an {@link OtlpMessage}: its number on the wire, its key and its form in JSON. */
final class OtlpField {

  /** How a field's value is encoded on the wire and written in JSON. */
  enum Kind {
    /** 16 bytes, as hex; required. */
    TRACE_ID(WireCursor.DELIMITED),
    /** 8 bytes, as hex; required. */
    SPAN_ID(WireCursor.DELIMITED),
    /** 8 bytes or none, as hex. */
    PARENT_SPAN_ID(WireCursor.DELIMITED),
    STRING(WireCursor.DELIMITED),
    BASE64(WireCursor.DELIMITED),
    BOOL(WireCursor.VARINT),
    /** As a string: JSON's own numbers lose digits in many readers. */
    INT64(WireCursor.VARINT),
    ENUM(WireCursor.VARINT),
    UINT32(WireCursor.VARINT),
    FIXED32(WireCursor.FIXED32),
    /** Nanoseconds since the epoch, unsigned, as a string. */
    TIME(WireCursor.FIXED64),
    DOUBLE(WireCursor.FIXED64),
    /** Always written outside a oneof, {@code {}} where absent, as otelcol does. */
    MESSAGE(WireCursor.DELIMITED),
    REPEATED_MESSAGE(WireCursor.DELIMITED);

    private final int wireType;

    Kind(int wireType) {
      this.wireType = wireType;
    }

    int wireType() {
      return wireType;
    }
  }

  private final int number;
  private final String name;
  private final byte[] key;
  private final Kind kind;
  private final @Nullable OtlpMessage message;

  OtlpField(int number, String name, Kind kind) {
    this(number, name, kind, null);
  }

  OtlpField(int number, String name, Kind kind, @Nullable OtlpMessage message) {
    this.number = number;
    this.name = name;
    this.key = ('"' + name + "\":").getBytes(US_ASCII);
    this.kind = kind;
    this.message = message;
  }

  int number() {
    return number;
  }

  /** The name in JSON. */
  String name() {
    return name;
  }

  /** The name in JSON, quoted and with its colon. */
  byte[] key() {
    return key;
  }

  Kind kind() {
    return kind;
  }

  /** The type of a field that holds a message. */
  OtlpMessage message() {
    if (message == null) {
      throw new IllegalStateException(name + " holds no message");
    }
    return message;
  }
}
