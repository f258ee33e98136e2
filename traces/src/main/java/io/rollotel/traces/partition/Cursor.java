package io.rollotel.traces.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Reads what {@link Bytes} has written. */
final class Cursor {

  private byte[] array = {};
  private int at;
  private int end;

  void begin(byte[] bytes, int from, int length) {
    array = bytes;
    at = from;
    end = from + length;
  }

  boolean hasMore() {
    return at < end;
  }

  int u8() {
    return array[at++] & 0xff;
  }

  int fixed32() {
    int value = (int) Bytes.INT.get(array, at);
    at += Integer.BYTES;
    return value;
  }

  long fixed64() {
    long value = (long) Bytes.LONG.get(array, at);
    at += Long.BYTES;
    return value;
  }

  long varint() {
    byte first = array[at++];
    if (first >= 0) {
      return first;
    }
    long value = first & 0x7f;
    for (int shift = 7; ; shift += 7) {
      byte next = array[at++];
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  int integer() {
    return (int) varint();
  }

  long zigzag() {
    long folded = varint();
    return folded >>> 1 ^ -(folded & 1);
  }

  byte[] bytes() {
    byte[] bytes = new byte[integer()];
    System.arraycopy(array, at, bytes, 0, bytes.length);
    at += bytes.length;
    return bytes;
  }

  String text() {
    long head = varint();
    int chars = (int) (head >>> 1);
    if ((head & 1) == 0) {
      String text = new String(array, at, chars, ISO_8859_1);
      at += chars;
      return text;
    }
    char[] wide = new char[chars];
    for (int i = 0; i < chars; i++) {
      wide[i] = (char) ((array[at] & 0xff) | (array[at + 1] << 8));
      at += 2;
    }
    return new String(wide);
  }
}
