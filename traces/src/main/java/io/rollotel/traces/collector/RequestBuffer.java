package io.rollotel.traces.collector;

import io.rollotel.traces.file.GzipStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An array that collects the bytes of a request; it grows and is reused. */
final class RequestBuffer extends ByteArrayOutputStream {

  private static final int FIRST_BYTES = 64 << 10;
  private static final int INFLATE_BYTES = 8 << 10;

  private @Nullable OffHeapInflater inflater;

  RequestBuffer() {
    super(FIRST_BYTES);
  }

  /** The array itself; the request is at the beginning. */
  byte[] bytes() {
    return buf;
  }

  /** Inflates a stream with this buffer's inflater. Only one such stream may be open at a time. */
  InputStream inflated(InputStream in) throws IOException {
    if (inflater == null) {
      inflater = new OffHeapInflater();
    }
    return new GzipStream(in, INFLATE_BYTES, inflater);
  }

  /** Appends a stream up to its end; false if it has more bytes than the limit allows. */
  boolean append(InputStream in, int maxBytes) throws IOException {
    // An uncompressed request states its length. One more byte, to detect the end of the stream.
    int wanted = size() + Math.min(in.available(), maxBytes) + 1;
    for (int read = 0; read >= 0; read = in.read(buf, count, buf.length - count)) {
      count += read;
      if (count > maxBytes) {
        return false;
      }
      wanted = Math.max(wanted, count + 1);
      if (wanted > buf.length) {
        buf = Arrays.copyOf(buf, Math.min(Integer.highestOneBit(wanted - 1) << 1, maxBytes + 1));
      }
    }
    return true;
  }
}
