package io.rollotel.traces.collector;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** An array in which the bytes of a request come together; it grows and is used again. */
final class RequestBuffer {

  private static final int FIRST_BYTES = 64 << 10;

  private byte[] bytes = new byte[FIRST_BYTES];
  private int length;

  /** The request is at the beginning. */
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** Reads to the end; false where there are more bytes than the limit allows. */
  boolean read(InputStream in, int maxBytes) throws IOException {
    length = 0;
    return readOn(in, maxBytes);
  }

  /** Goes on where another buffer has stopped. */
  boolean readOn(RequestBuffer other, InputStream in, int maxBytes) throws IOException {
    ensure(other.length, maxBytes);
    System.arraycopy(other.bytes, 0, bytes, 0, other.length);
    length = other.length;
    return readOn(in, maxBytes);
  }

  private boolean readOn(InputStream in, int maxBytes) throws IOException {
    // What is not compressed tells its length. One more shows that it is the end.
    ensure(length + Math.min(in.available(), maxBytes) + 1, maxBytes);
    for (int count = 0; count >= 0; count = in.read(bytes, length, bytes.length - length)) {
      length += count;
      if (length > maxBytes) {
        return false;
      }
      ensure(length + 1, maxBytes);
    }
    return true;
  }

  private void ensure(int wanted, int maxBytes) {
    if (wanted > bytes.length) {
      int doubled = Integer.highestOneBit(wanted - 1) << 1;
      bytes = Arrays.copyOf(bytes, Math.min(doubled, maxBytes + 1));
    }
  }
}
