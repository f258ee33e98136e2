package io.rollotel.traces.file;

import java.util.Arrays;

/** A message in protobuf's wire format under construction. */
final class WireBuffer {

  private static final int FIRST_CAPACITY_BYTES = 16 << 10;
  private static final int KEPT_CAPACITY_BYTES = 4 << 20;

  private byte[] buffer = new byte[FIRST_CAPACITY_BYTES];
  private int length;

  void clear() {
    length = 0;
    if (buffer.length > KEPT_CAPACITY_BYTES) {
      buffer = new byte[FIRST_CAPACITY_BYTES];
    }
  }

  byte[] bytes() {
    return buffer;
  }

  int length() {
    return length;
  }

  /** Takes back what was appended since the length was so. */
  void backTo(int length) {
    this.length = length;
  }

  void tag(int number, int wireType) {
    varint(((long) number << 3) | wireType);
  }

  void varint(int number, long value) {
    tag(number, WireCursor.VARINT);
    varint(value);
  }

  void fixed32(int number, int value) {
    tag(number, WireCursor.FIXED32);
    littleEndian(Integer.toUnsignedLong(value), 4);
  }

  void fixed64(int number, long value) {
    tag(number, WireCursor.FIXED64);
    littleEndian(value, 8);
  }

  void bytes(int number, byte[] value) {
    tag(number, WireCursor.DELIMITED);
    varint(value.length);
    ensure(value.length);
    System.arraycopy(value, 0, buffer, length, value.length);
    length += value.length;
  }

  /** Appends bytes that are given in hex. */
  void hex(int number, String digits) {
    tag(number, WireCursor.DELIMITED);
    varint(digits.length() / 2);
    ensure(digits.length() / 2);
    for (int i = 0; i < digits.length(); i += 2) {
      int high = Character.digit(digits.charAt(i), 16);
      buffer[length++] = (byte) ((high << 4) | Character.digit(digits.charAt(i + 1), 16));
    }
  }

  /** Puts the length before the message that began at the start, right after its tag. */
  void endMessage(int start) {
    int size = length - start;
    int prefix = 1;
    for (int rest = size >>> 7; rest != 0; rest >>>= 7) {
      prefix++;
    }
    ensure(prefix);
    System.arraycopy(buffer, start, buffer, start + prefix, size);
    length = start;
    varint(size);
    length += size;
  }

  private void varint(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      buffer[length++] = (byte) ((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    buffer[length++] = (byte) rest;
  }

  private void littleEndian(long value, int bytes) {
    ensure(bytes);
    for (int i = 0; i < bytes; i++) {
      buffer[length++] = (byte) (value >>> (8 * i));
    }
  }

  private void ensure(int more) {
    if (more > buffer.length - length) {
      long wanted = Math.max((long) length + more, 2L * buffer.length);
      buffer = Arrays.copyOf(buffer, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
    }
  }
}
