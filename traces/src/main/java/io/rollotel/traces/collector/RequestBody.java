package io.rollotel.traces.collector;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;

/**
 * The body of one request over HTTP, in arrays of one size that are used again. With one array for
 * each request the JVM would let its heap grow as far as it may.
 */
final class RequestBody implements Closeable {

  /** Of one array; small enough for the garbage collectors not to treat it as something special. */
  static final int SEGMENT_BYTES = 32 << 10;

  private final Queue<byte[]> free;
  private final List<byte[]> segments = new ArrayList<>();
  private final List<InputStream> contents = new ArrayList<>();

  /**
   * An empty body.
   *
   * @param free arrays that nobody uses; several threads may share them
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
    contents.add(new ByteArrayInputStream(segment, 0, count));
    return count;
  }

  /** What was read. */
  InputStream stream() {
    return new SequenceInputStream(Collections.enumeration(contents));
  }

  /** Gives the arrays back. */
  @Override
  public void close() {
    free.addAll(segments);
    segments.clear();
  }
}
