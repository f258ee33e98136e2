package io.rollotel.traces.collector;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The body of one request over HTTP, in arrays of one size that are reused. With one array for each
 * request the JVM would let its heap grow as far as it may.
 */
final class RequestBody implements Closeable {

  /** Of one array; small enough not to be a humongous object for the G1 garbage collector. */
  static final int SEGMENT_BYTES = 32 << 10;

  private final Queue<byte[]> free;
  private final List<byte[]> segments = new ArrayList<>();
  private int size;

  /**
   * An empty body.
   *
   * @param free arrays that nobody uses; several threads may share them. It may be bounded: an
   *     array that it does not take is left to the garbage collector.
   */
  RequestBody(Queue<byte[]> free) {
    this.free = free;
  }

  /** Reads as many bytes as an array takes; fewer only at the end of the stream. */
  int readFrom(InputStream in) throws IOException {
    byte[] used = free.poll();
    byte[] segment = used == null ? new byte[SEGMENT_BYTES] : used;
    segments.add(segment);
    int count = in.readNBytes(segment, 0, SEGMENT_BYTES);
    size += count;
    return count;
  }

  /** What was read; valid until this is closed. */
  InputStream stream() {
    return new Contents();
  }

  /** Gives the arrays back. */
  @Override
  public void close() {
    segments.forEach(free::offer);
    segments.clear();
    size = 0;
  }

  /**
   * The bytes of all segments. {@link #available} counts all that are left: GZIPInputStream looks
   * for another member only where there are some.
   */
  private final class Contents extends InputStream {

    private int position;

    @Override
    public int available() {
      return size - position;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      int start = position % SEGMENT_BYTES;
      int count = Math.min(Math.min(length, available()), SEGMENT_BYTES - start);
      if (length == 0 || count <= 0) {
        return length == 0 ? 0 : -1;
      }
      System.arraycopy(segments.get(position / SEGMENT_BYTES), start, target, offset, count);
      position += count;
      return count;
    }
  }
}
