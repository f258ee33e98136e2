package io.rollotel.traces.partition;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing array of bytes, to which numbers and texts are appended. */
final class Bytes {

  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** Larger arrays are not kept, because each partition has one. */
  private static final int MOST_KEPT = 16 << 10;

  private static final int LEAST = 512;
  private static final int VARINT_MOST = 10;

  private final int mostKept;
  private byte[] array = new byte[LEAST];
  private int length;

  Bytes() {
    this(MOST_KEPT);
  }

  /**
   * No bytes yet.
   *
   * @param mostKept how many stay allocated when it is cleared
   */
  Bytes(int mostKept) {
    this.mostKept = mostKept;
  }

  byte[] array() {
    return array;
  }

  int length() {
    return length;
  }

  void clear() {
    length = 0;
    if (array.length > mostKept) {
      array = new byte[LEAST];
    }
  }

  private void reserve(int more) {
    if (array.length - length < more) {
      long wanted = Math.max((long) length + more, 2L * array.length);
      array = Arrays.copyOf(array, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
    }
  }

  void u8(int value) {
    reserve(1);
    array[length++] = (byte) value;
  }

  /** Puts a byte where one stands. */
  void patch(int at, int value) {
    array[at] = (byte) value;
  }

  void fixed32(int value) {
    reserve(Integer.BYTES);
    INT.set(array, length, value);
    length += Integer.BYTES;
  }

  void fixed64(long value) {
    reserve(Long.BYTES);
    LONG.set(array, length, value);
    length += Long.BYTES;
  }

  void varint(long value) {
    reserve(VARINT_MOST);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      array[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[length++] = (byte) rest;
  }

  void zigzag(long value) {
    varint(value << 1 ^ value >> 63);
  }

  void bytes(byte[] from, int at, int count) {
    reserve(count);
    System.arraycopy(from, at, array, length, count);
    length += count;
  }

  void bytes(byte[] all) {
    varint(all.length);
    bytes(all, 0, all.length);
  }

  /** Any text, including invalid Unicode: one byte per character, or two if one needs them. */
  void text(String text) {
    int start = length;
    int chars = text.length();
    varint((long) chars << 1);
    reserve(chars);
    for (int i = 0; i < chars; i++) {
      char c = text.charAt(i);
      if (c > 0xff) {
        length = start;
        wideText(text);
        return;
      }
      array[length + i] = (byte) c;
    }
    length += chars;
  }

  private void wideText(String text) {
    int chars = text.length();
    varint((long) chars << 1 | 1);
    reserve(Math.multiplyExact(2, chars));
    for (int i = 0; i < chars; i++) {
      char c = text.charAt(i);
      array[length++] = (byte) c;
      array[length++] = (byte) (c >> 8);
    }
  }
}
