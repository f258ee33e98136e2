package io.rollotel.traces.collector;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Hands on each frame of an HTTP/2 connection in memory of its own.
 *
 * <p>The transport keeps what belongs to a request as slices of the buffers that it has read. In
 * each of those lie frames of many requests, so that one which is not complete yet would hold what
 * has arrived with it, many times its own size, whether that is still needed or not.
 */
final class FrameCopier extends ChannelInboundHandlerAdapter {

  private static final int PREFACE_BYTES = 24; // of HTTP/2, RFC 9113, 3.4
  private static final int HEADER_BYTES = 9; // RFC 9113, 4.1

  /** The largest that the transport takes; beyond it, it ends the connection. */
  private static final int MAX_PAYLOAD_BYTES = 16 << 10;

  private final byte[] header = new byte[HEADER_BYTES];
  private int headerBytes;
  private int prefaceBytes;
  private @Nullable ByteBuf frame; // with its header, as far as it has arrived
  private boolean isGivenUp;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isGivenUp || !(message instanceof ByteBuf read)) {
      context.fireChannelRead(message);
      return;
    }
    try {
      copy(context, read);
    } finally {
      read.release();
    }
  }

  private void copy(ChannelHandlerContext context, ByteBuf read) {
    int preface = Math.min(PREFACE_BYTES - prefaceBytes, read.readableBytes());
    if (preface > 0) {
      prefaceBytes += preface;
      context.fireChannelRead(read.readRetainedSlice(preface));
    }
    while (read.isReadable()) {
      ByteBuf begun = frame == null ? begin(context, read) : frame;
      if (begun != null) {
        begun.writeBytes(read, Math.min(begun.writableBytes(), read.readableBytes()));
        frame = begun.isWritable() ? begun : null;
        if (!begun.isWritable()) {
          context.fireChannelRead(begun);
        }
      }
    }
  }

  /**
   * Reads a header; null where it is not all there, or the rest of the connection goes as it is.
   */
  private @Nullable ByteBuf begin(ChannelHandlerContext context, ByteBuf read) {
    int part = Math.min(HEADER_BYTES - headerBytes, read.readableBytes());
    read.readBytes(header, headerBytes, part);
    headerBytes += part;
    if (headerBytes < HEADER_BYTES) {
      return null;
    }
    headerBytes = 0;
    int length = ((header[0] & 0xff) << 16) | ((header[1] & 0xff) << 8) | (header[2] & 0xff);
    if (length <= MAX_PAYLOAD_BYTES) {
      int bytes = HEADER_BYTES + length;
      return context.alloc().buffer(bytes, bytes).writeBytes(header);
    }
    isGivenUp = true;
    context.fireChannelRead(context.alloc().buffer(HEADER_BYTES).writeBytes(header));
    context.fireChannelRead(read.readRetainedSlice(read.readableBytes()));
    return null;
  }

  /** The frame that has begun to arrive; for tests. */
  @Nullable ByteBuf unfinished() {
    return frame;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    ByteBuf unfinished = frame;
    if (unfinished != null) {
      frame = null;
      unfinished.release();
    }
  }
}
