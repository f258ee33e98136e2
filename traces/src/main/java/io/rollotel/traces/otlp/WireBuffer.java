package io.rollotel.traces.otlp;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A message in protobuf's wire format under construction. For use by one thread. */
public final class WireBuffer {

  /** The largest request that is translated, in bytes. */
  public static final int MAX_REQUEST_BYTES = 64 << 20;

  private static final int FIRST_CAPACITY_BYTES = 16 << 10;
  private static final int KEPT_CAPACITY_BYTES = 4 << 20;

  private final int keptBytes;
  private byte[] buffer = new byte[FIRST_CAPACITY_BYTES];
  private int length;

  /** An empty one. */
  public WireBuffer() {
    this(KEPT_CAPACITY_BYTES);
  }

  /** An empty buffer that keeps this much memory when it is cleared. */
  WireBuffer(int keptBytes) {
    this.keptBytes = keptBytes;
  }

  /** Empties the buffer; releases the memory of a large message. */
  public void clear() {
    length = 0;
    if (buffer.length > keptBytes) {
      buffer = new byte[FIRST_CAPACITY_BYTES];
    }
  }

  /** Whether it has grown beyond the size that is kept by default. */
  boolean isLarge() {
    return buffer.length > KEPT_CAPACITY_BYTES;
  }

  /** The message, of which {@link #length} bytes are valid until the buffer changes. */
  public byte[] bytes() {
    return buffer;
  }

  /** How many bytes there are. */
  public int length() {
    return length;
  }

  /** Removes everything appended since it had this length. */
  void backTo(int length) {
    this.length = length;
  }

  public void tag(int number, int wireType) {
    varint(((long) number << 3) | wireType);
  }

  /** Appends a field, an enumeration or an integer. */
  public void varint(int number, long value) {
    tag(number, WireCursor.VARINT);
    varint(value);
  }

  /** Appends a field of four bytes. */
  public void fixed32(int number, int value) {
    tag(number, WireCursor.FIXED32);
    littleEndian(Integer.toUnsignedLong(value), 4);
  }

  /** Appends a field of eight bytes. */
  public void fixed64(int number, long value) {
    tag(number, WireCursor.FIXED64);
    littleEndian(value, 8);
  }

  /** Appends a field. */
  public void bytes(int number, byte[] value) {
    tag(number, WireCursor.DELIMITED);
    varint(value.length);
    append(value);
  }

  /** Appends text, in UTF-8. */
  public void text(int number, String value) {
    int size = value.length();
    tag(number, WireCursor.DELIMITED);
    int before = length;
    varint(size);
    ensure(size);
    for (int i = 0; i < size; i++) {
      char c = value.charAt(i);
      if (c >= 0x80) {
        length = before;
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        varint(bytes.length);
        append(bytes);
        return;
      }
      buffer[length++] = (byte) c;
    }
  }

  /** Appends an id of eight bytes. */
  public void id(int number, long value) {
    tag(number, WireCursor.DELIMITED);
    varint(8);
    bigEndian(value);
  }

  /** Appends an id of sixteen bytes. */
  public void id(int number, long high, long low) {
    tag(number, WireCursor.DELIMITED);
    varint(16);
    bigEndian(high);
    bigEndian(low);
  }

  /** Appends bytes that are given in hex. */
  public void hex(int number, String digits) {
    tag(number, WireCursor.DELIMITED);
    varint(digits.length() / 2);
    ensure(digits.length() / 2);
    for (int i = 0; i < digits.length(); i += 2) {
      int high = Character.digit(digits.charAt(i), 16);
      buffer[length++] = (byte) ((high << 4) | Character.digit(digits.charAt(i + 1), 16));
    }
  }

  /** Begins a field that is a message; pass the result to {@link #endMessage}. */
  public int beginMessage(int number) {
    tag(number, WireCursor.DELIMITED);
    return length;
  }

  /** Puts the length before the message that began at the start, right after its tag. */
  public void endMessage(int start) {
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

  /** Data written to it is appended. */
  OutputStream appending() {
    return new OutputStream() {
      @Override
      public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int count) {
        append(bytes, offset, count);
      }
    };
  }

  private void append(byte[] value) {
    append(value, 0, value.length);
  }

  private void append(byte[] value, int offset, int count) {
    ensure(count);
    System.arraycopy(value, offset, buffer, length, count);
    length += count;
  }

  private void bigEndian(long value) {
    ensure(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      buffer[length++] = (byte) (value >>> shift);
    }
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
