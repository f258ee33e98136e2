package io.rollotel.traces.collector;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import java.io.Closeable;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of one request over HTTP, copied into buffers of one size as it arrives. A piece from
 * the transport keeps the whole buffer that it was read into, however small it is.
 */
final class RequestBody implements Closeable {

  /** Of one buffer. */
  static final int SEGMENT_BYTES = 32 << 10;

  private final ByteBufAllocator buffers;
  private final List<ByteBuf> segments = new ArrayList<>();

  RequestBody(ByteBufAllocator buffers) {
    this.buffers = buffers;
  }

  /** Appends the readable bytes of a buffer, which the caller keeps. */
  void add(ByteBuf piece) {
    while (piece.isReadable()) {
      ByteBuf last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
      if (last == null || !last.isWritable()) {
        last = buffers.directBuffer(SEGMENT_BYTES, SEGMENT_BYTES);
        segments.add(last);
      }
      last.writeBytes(piece, Math.min(piece.readableBytes(), last.writableBytes()));
    }
  }

  /**
   * The bytes that have arrived, to be read once; valid until this is closed. Its {@link
   * InputStream#available} counts all remaining bytes: GzipStream looks for another member only if
   * there are any.
   */
  InputStream stream() {
    List<ByteBuf> all = new ArrayList<>(segments);
    segments.clear();
    segments.add(buffers.compositeDirectBuffer(Integer.MAX_VALUE).addComponents(true, all));
    return new ByteBufInputStream(segments.get(0));
  }

  /** Releases the buffers. */
  @Override
  public void close() {
    segments.forEach(ByteBuf::release);
    segments.clear();
  }
}
