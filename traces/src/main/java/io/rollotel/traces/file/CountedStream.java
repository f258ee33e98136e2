package io.rollotel.traces.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/**
 * Reports how many bytes of a file were read. Below a decompressor, these are compressed bytes, as
 * on the disk.
 */
public final class CountedStream extends FilterInputStream {

  private final LongConsumer read;

  /**
   * Counts what is read of a stream.
   *
   * @param read receives the number of bytes after each read, on the thread that reads
   */
  public CountedStream(InputStream in, LongConsumer read) {
    super(in);
    this.read = read;
  }

  @Override
  public int read() throws IOException {
    int one = super.read();
    read.accept(one < 0 ? 0 : 1);
    return one;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = super.read(bytes, offset, length);
    read.accept(Math.max(count, 0));
    return count;
  }
}
