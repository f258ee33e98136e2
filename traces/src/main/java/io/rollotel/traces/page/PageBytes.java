package io.rollotel.traces.page;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.Deflater;

/** A column of the page: small numbers in few bytes, deflated, in base64. */
final class PageBytes {

  /** From this size on, the best compression takes too long for a waiting reader. */
  private static final int LARGE_BYTES = 4 << 20;

  private byte[] bytes = new byte[1024];
  private int size;

  void addByte(int value) {
    room(1);
    bytes[size++] = (byte) value;
  }

  void addBytes(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
  }

  /** Seven bits a byte, the lowest first, the highest bit set on all but the last. */
  void add(long value) {
    room(10);
    long left = value;
    while ((left & ~0x7fL) != 0) {
      bytes[size++] = (byte) ((left & 0x7f) | 0x80);
      left >>>= 7;
    }
    bytes[size++] = (byte) left;
  }

  /** A number that may be negative: zigzag-encoded. */
  void addSigned(long value) {
    add((value << 1) ^ (value >> 63));
  }

  private void room(int count) {
    if (size + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + count));
    }
  }

  int size() {
    return size;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  String base64() {
    return Base64.getEncoder().encodeToString(deflated());
  }

  /** Deflated, without zlib's header and trailer. */
  byte[] deflated() {
    int level = size < LARGE_BYTES ? Deflater.BEST_COMPRESSION : Deflater.DEFAULT_COMPRESSION;
    Deflater deflater = new Deflater(level, true);
    try {
      deflater.setInput(bytes, 0, size);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream(size / 4 + 64);
      byte[] part = new byte[64 << 10];
      while (!deflater.finished()) {
        out.write(part, 0, deflater.deflate(part));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }
}
