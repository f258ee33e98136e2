package io.rollotel.traces.collector;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The body of a request as it has arrived so far, in {@link Segments}. Written, then read, by one
 * thread; another may let go of it meanwhile.
 */
final class RequestBody {

  private final Segments pool;

  // Guarded by this.
  private final List<byte[]> segments = new ArrayList<>();
  private int length;
  private boolean isGone;

  RequestBody(Segments pool) {
    this.pool = pool;
  }

  /** Appends; what comes after {@link #letGo} is left out. */
  synchronized void append(byte[] bytes, int count) {
    for (int copied = 0; copied < count && !isGone; ) {
      int at = length % Segments.BYTES;
      if (at == 0) {
        segments.add(pool.take());
      }
      int part = Math.min(count - copied, Segments.BYTES - at);
      System.arraycopy(bytes, copied, segments.get(segments.size() - 1), at, part);
      copied += part;
      length += part;
    }
  }

  synchronized int length() {
    return length;
  }

  /** Gives the memory back. */
  synchronized void letGo() {
    if (!isGone) {
      isGone = true;
      pool.giveBack(segments);
      segments.clear();
      length = 0;
    }
  }

  /** What has arrived, from the first byte; it ends where the body is let go. */
  InputStream stream() {
    return new InputStream() {

      private int position;

      @Override
      public int available() {
        return Math.max(0, length() - position);
      }

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] into, int offset, int count) {
        Objects.checkFromIndexSize(offset, count, into.length);
        synchronized (RequestBody.this) {
          if (count == 0) {
            return 0;
          }
          if (position >= length) {
            return -1;
          }
          int at = position % Segments.BYTES;
          int part = Math.min(Math.min(count, length - position), Segments.BYTES - at);
          System.arraycopy(segments.get(position / Segments.BYTES), at, into, offset, part);
          position += part;
          return part;
        }
      }
    };
  }
}
