package io.rollotel.traces.page;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.Deflater;

/** A column of the page: small numbers in few bytes, deflated, in base64. */
final class PageBytes {

  /** From this size on, the best compression takes too long for a waiting reader. */
  private static final int LARGE_BYTES = 64 << 10;

  /** From all over the column: its beginning may differ from the rest. */
  private static final int SAMPLED_PIECES = 4;

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
    return size < LARGE_BYTES
        ? deflated(bytes, size, Deflater.BEST_COMPRESSION, Deflater.DEFAULT_STRATEGY)
        : deflated(bytes, size, Deflater.DEFAULT_COMPRESSION, largeStrategy());
  }

  /**
   * Durations and other numbers hardly repeat: to search them for repetitions takes four times as
   * long, and gains nothing. A sample tells.
   */
  private int largeStrategy() {
    byte[] sample = new byte[LARGE_BYTES];
    int pieceBytes = LARGE_BYTES / SAMPLED_PIECES;
    for (int i = 0; i < SAMPLED_PIECES; i++) {
      int from = (int) ((long) i * (size - pieceBytes) / (SAMPLED_PIECES - 1));
      System.arraycopy(bytes, from, sample, i * pieceBytes, pieceBytes);
    }
    int searched = sampleBytes(sample, Deflater.DEFAULT_STRATEGY);
    int coded = sampleBytes(sample, Deflater.HUFFMAN_ONLY);
    return coded <= searched ? Deflater.HUFFMAN_ONLY : Deflater.DEFAULT_STRATEGY;
  }

  private static int sampleBytes(byte[] sample, int strategy) {
    return deflated(sample, sample.length, Deflater.DEFAULT_COMPRESSION, strategy).length;
  }

  private static byte[] deflated(byte[] bytes, int count, int level, int strategy) {
    Deflater deflater = new Deflater(level, true);
    try {
      deflater.setStrategy(strategy);
      deflater.setInput(bytes, 0, count);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream(count / 4 + 64);
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
