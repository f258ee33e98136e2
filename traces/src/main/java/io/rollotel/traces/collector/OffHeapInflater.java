package io.rollotel.traces.collector;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses between buffers outside the heap. The JDK's class locks its arrays, and until they
 * are unlocked, older JVMs neither collect garbage nor shrink the heap: a collector that
 * decompresses all the time could not keep its memory small. It can be {@link #reset} and reused.
 */
final class OffHeapInflater extends Inflater {

  private static final int BUFFER_BYTES = 16 << 10;

  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /** For data without a zlib header, such as the contents of a gzip file. */
  OffHeapInflater() {
    super(true);
  }

  /**
   * Takes the next compressed bytes.
   *
   * @throws java.nio.BufferOverflowException if it is more than the 16 KiB that the buffer holds
   */
  @Override
  public void setInput(byte[] source, int from, int length) {
    in.clear().put(source, from, length).flip();
    setInput(in);
  }

  @Override
  public int inflate(byte[] target, int from, int length) throws DataFormatException {
    out.clear().limit(Math.min(length, BUFFER_BYTES));
    int count = inflate(out);
    out.flip().get(target, from, count);
    return count;
  }
}
