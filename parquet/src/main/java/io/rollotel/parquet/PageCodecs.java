package io.rollotel.parquet;

import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/**
 * How pages are compressed. We write gzip, which the JDK has and every reader knows; other writers'
 * snappy, zstd and lz4 are read as well. Parquet's own codecs are Hadoop's.
 */
final class PageCodecs implements CompressionCodecFactory {

  /** Memory for a page of up to this size is always allocated. */
  private static final long LARGE_PAGE_BYTES = 64 << 20;

  /** For a larger page, a better compression than this, the limit of lz4, is rejected. */
  private static final long MOST_RATIO = 255;

  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName codec) {
    return new Gzip();
  }

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
    return switch (codec) {
      case UNCOMPRESSED -> new Reader((in, size) -> in);
      case GZIP -> new Reader(PageCodecs::gunzip);
      case SNAPPY -> new Reader(by(new SnappyDecompressor()));
      case ZSTD -> new Reader(by(new ZstdDecompressor()));
      case LZ4_RAW -> new Reader(by(new Lz4Decompressor()));
      default ->
          throw new IllegalArgumentException(
              "pages are compressed by " + codec + ", which is not supported");
    };
  }

  @Override
  public void release() {}

  private interface Decompression {
    byte[] decompress(byte[] in, int size) throws IOException;
  }

  private static Decompression by(Decompressor decompressor) {
    return (in, size) -> {
      if (size < 0 || size > Math.max(LARGE_PAGE_BYTES, MOST_RATIO * in.length)) {
        throw new IOException("a page is damaged: " + in.length + " bytes for " + size);
      }
      byte[] out = new byte[size];
      try {
        decompressor.decompress(in, 0, in.length, out, 0, size);
      } catch (RuntimeException malformed) {
        throw new IOException("a page is damaged: " + malformed.getMessage(), malformed);
      }
      return out;
    };
  }

  private static byte[] gunzip(byte[] in, int size) throws IOException {
    try (InputStream gzip = new GZIPInputStream(new ByteArrayInputStream(in), 8 << 10)) {
      return gzip.readNBytes(size);
    }
  }

  private record Reader(Decompression by) implements BytesInputDecompressor {

    @Override
    public BytesInput decompress(BytesInput bytes, int size) throws IOException {
      return BytesInput.from(by.decompress(array(bytes), size));
    }

    @Override
    public void decompress(ByteBuffer in, int inSize, ByteBuffer out, int outSize)
        throws IOException {
      byte[] compressed = new byte[inSize];
      in.get(compressed);
      out.put(by.decompress(compressed, outSize));
    }

    private static byte[] array(BytesInput bytes) throws IOException {
      Page page = new Page();
      bytes.writeAllTo(page);
      return page.toByteArray();
    }

    @Override
    public void release() {}
  }

  /** A page whose bytes can be read without another copy. */
  private static final class Page extends ByteArrayOutputStream {
    byte[] bytes() {
      return buf;
    }
  }

  /** All pages of a file share the streams: creating new ones takes as long as a small page. */
  private static final class Gzip implements BytesInputCompressor {

    /** More would take half as much time again for a few percent of the size. */
    private static final int LEVEL = 4;

    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 0};
    private static final int TRAILER_BYTES = 8;
    private static final int SAMPLE_BYTES = 8 << 10;

    private final Page page = new Page();
    private final byte[] sample = new byte[2 * SAMPLE_BYTES];
    private final Deflater deflater = new Deflater(LEVEL, true);

    /** Does not search for repetitions: for ids, that is most of the work, without result. */
    private final Deflater withoutRepeats = new Deflater(LEVEL, true);

    Gzip() {
      withoutRepeats.setStrategy(Deflater.HUFFMAN_ONLY);
    }

    @Override
    public BytesInput compress(BytesInput bytes) throws IOException {
      page.reset();
      bytes.writeAllTo(page);
      int size = page.size();
      // Deflate stores incompressible data with five more bytes for each 16 KiB.
      byte[] out = new byte[HEADER.length + size + size / 1024 + 64];
      System.arraycopy(HEADER, 0, out, 0, HEADER.length);
      Deflater by = hasRepeats(size) ? deflater : withoutRepeats;
      int length = deflate(by, 0, size, out, HEADER.length);
      CRC32 crc = new CRC32();
      crc.update(page.bytes(), 0, size);
      ByteBuffer trailer = ByteBuffer.wrap(out, length, TRAILER_BYTES);
      trailer.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue()).putInt(size);
      return BytesInput.from(out, 0, length + TRAILER_BYTES);
    }

    /** According to a sample. */
    private boolean hasRepeats(int size) throws IOException {
      int length = Math.min(SAMPLE_BYTES, size);
      return deflate(deflater, (size - length) / 2, length, sample, 0) <= length / 2;
    }

    /** Compresses a part of the page; returns its end. */
    private int deflate(Deflater by, int from, int size, byte[] out, int start) throws IOException {
      by.reset();
      by.setInput(page.bytes(), from, size);
      by.finish();
      int length = start;
      while (!by.finished()) {
        if (length == out.length) {
          throw new IOException("a page grows by compression");
        }
        length += by.deflate(out, length, out.length - length);
      }
      return length;
    }

    @Override
    public CompressionCodecName getCodecName() {
      return CompressionCodecName.GZIP;
    }

    @Override
    public void release() {
      deflater.end();
      withoutRepeats.end();
    }
  }
}
