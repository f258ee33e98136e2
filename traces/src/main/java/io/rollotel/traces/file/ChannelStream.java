package io.rollotel.traces.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A stream of a file through the channel that holds its lock; closing the stream keeps the channel
 * open.
 */
final class ChannelStream extends InputStream {

  private final FileChannel channel;
  private long at;

  ChannelStream(FileChannel channel, long from) {
    this.channel = channel;
    at = from;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = channel.read(ByteBuffer.wrap(bytes, offset, length), at);
    at += Math.max(count, 0);
    return count;
  }

  /** A decompressor checks whether another member follows. */
  @Override
  public int available() throws IOException {
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, channel.size() - at));
  }
}
