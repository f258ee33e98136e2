package io.rollotel.traces.partition;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The header of a block.
 *
 * @param runsLength bytes of the runs, which the facts follow
 * @param restLength bytes of the rest as stored
 * @param restRawLength its size before compression; the same if it is not compressed
 * @param source the file from which the first span comes
 * @param offset the start of its line in that file
 * @param factsSum the checksum of runs and facts
 * @param restSum that of the rest
 */
record BlockHeader(
    int runsLength,
    int factsLength,
    int restLength,
    int restRawLength,
    int spans,
    int source,
    long offset,
    int factsSum,
    int restSum) {

  static final int BYTES = 48;

  private static final int MAGIC = 0x524f5442;

  long blockLength() {
    return (long) BYTES + runsLength + factsLength + restLength;
  }

  void write(Bytes out) {
    int start = out.length();
    out.fixed32(MAGIC);
    out.fixed32(runsLength);
    out.fixed32(factsLength);
    out.fixed32(restLength);
    out.fixed32(restRawLength);
    out.fixed32(spans);
    out.fixed32(source);
    out.fixed64(offset);
    out.fixed32(factsSum);
    out.fixed32(restSum);
    out.fixed32(sum(out.array(), start, BYTES - Integer.BYTES));
  }

  /**
   * Reads a header.
   *
   * @param from the header's bytes, little-endian
   * @throws DamagedException if it is invalid
   */
  static BlockHeader read(ByteBuffer from) throws DamagedException {
    int sum = sum(from.array(), from.arrayOffset() + from.position(), BYTES - Integer.BYTES);
    int magic = from.getInt();
    BlockHeader header =
        new BlockHeader(
            from.getInt(),
            from.getInt(),
            from.getInt(),
            from.getInt(),
            from.getInt(),
            from.getInt(),
            from.getLong(),
            from.getInt(),
            from.getInt());
    if (magic != MAGIC || from.getInt() != sum) {
      throw new DamagedException();
    }
    return header;
  }

  static int sum(byte[] bytes, int at, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, at, length);
    return (int) sum.getValue();
  }
}
