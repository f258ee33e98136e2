package io.rollotel.traces.partition;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The last bytes that were read of a file. Another file that begins alike, such as a later result
 * of the same merge, has others in their place.
 */
record Tail(long from, int length, long hash) {

  private static final int MOST = 4 << 10;

  /** Of a file of which nothing was read. */
  static final Tail NONE = new Tail(0, 0, 0);

  static Tail of(FileChannel channel, long end) throws IOException {
    int length = (int) Math.min(MOST, end);
    return new Tail(end - length, length, Head.hash(bytes(channel, end - length, length), length));
  }

  long end() {
    return from + length;
  }

  boolean isIn(FileChannel channel) throws IOException {
    return length == 0
        || (channel.size() >= end() && Head.hash(bytes(channel, from, length), length) == hash);
  }

  private static byte[] bytes(FileChannel channel, long from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    PartitionFiles.read(channel, from, bytes);
    return bytes.array();
  }
}
