package io.rollotel.traces.otlp;

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
    /** 16 bytes or none, as hex. */
    OPTIONAL_TRACE_ID(WireCursor.DELIMITED),
    /** 8 bytes or none, as hex. */
    OPTIONAL_SPAN_ID(WireCursor.DELIMITED),
    STRING(WireCursor.DELIMITED),
    REPEATED_STRING(WireCursor.DELIMITED),
    BASE64(WireCursor.DELIMITED),
    BOOL(WireCursor.VARINT),
    /** As a string: JSON's own numbers lose digits in many readers. */
    INT64(WireCursor.VARINT),
    /** Signed, as a string. */
    SFIXED64(WireCursor.FIXED64),
    ENUM(WireCursor.VARINT),
    /** In protobuf's zigzag. */
    SINT32(WireCursor.VARINT),
    UINT32(WireCursor.VARINT),
    FIXED32(WireCursor.FIXED32),
    /** Nanoseconds since the epoch or a count, unsigned, as a string. */
    FIXED64(WireCursor.FIXED64),
    DOUBLE(WireCursor.FIXED64),
    /** Written even if zero. */
    OPTIONAL_DOUBLE(WireCursor.FIXED64),
    /** Repeated numbers: packed, as senders have it, or each with its tag. */
    REPEATED_FIXED64(WireCursor.FIXED64),
    REPEATED_UINT64(WireCursor.VARINT),
    REPEATED_DOUBLE(WireCursor.FIXED64),
    /** Always written outside a oneof, {@code {}} where absent, as otelcol does. */
    MESSAGE(WireCursor.DELIMITED),
    REPEATED_MESSAGE(WireCursor.DELIMITED);

    /** The encoding of one value. */
    private final int wireType;

    Kind(int wireType) {
      this.wireType = wireType;
    }

    boolean accepts(int type) {
      return type == wireType || (type == WireCursor.DELIMITED && isRepeatedNumber());
    }

    boolean isRepeatedNumber() {
      return this == REPEATED_FIXED64 || this == REPEATED_UINT64 || this == REPEATED_DOUBLE;
    }

    boolean isRepeated() {
      return this == REPEATED_MESSAGE || this == REPEATED_STRING || isRepeatedNumber();
    }
  }

  private final int number;
  private final String name;
  private final byte[] key;
  private final Kind kind;
  private final @Nullable OtlpMessage message;
  private final boolean isOneof;

  OtlpField(int number, String name, Kind kind) {
    this(number, name, kind, null, false);
  }

  OtlpField(int number, String name, Kind kind, @Nullable OtlpMessage message, boolean isOneof) {
    this.number = number;
    this.name = name;
    this.key = ('"' + name + "\":").getBytes(US_ASCII);
    this.kind = kind;
    this.message = message;
    this.isOneof = isOneof;
  }

  /** The same field as one of a oneof. */
  OtlpField inOneof() {
    return new OtlpField(number, name, kind, message, true);
  }

  /**
   * Whether it is a member of a oneof: only the last one on the wire counts, even if zero or empty.
   */
  boolean isOneof() {
    return isOneof;
  }

  int number() {
    return number;
  }

  /** The name in JSON. */
  String name() {
    return name;
  }

  /** The name in the proto file. */
  String protoName() {
    StringBuilder snake = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      snake.append(Character.isUpperCase(c) ? "_" + Character.toLowerCase(c) : c);
    }
    return snake.toString();
  }

  /** The name in JSON, quoted and with its colon. */
  byte[] key() {
    return key;
  }

  Kind kind() {
    return kind;
  }

  /** The error of a message that lacks it although it is required. */
  String missing() {
    return "no " + name + " in the message";
  }

  /** The type of a field that holds a message. */
  OtlpMessage message() {
    if (message == null) {
      throw new IllegalStateException(name + " holds no message");
    }
    return message;
  }
}
