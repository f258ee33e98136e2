package org.apache.parquet;

import java.util.Map;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.ParquetMetricsCallback;
import org.jspecify.annotations.NullMarked;

/**
 * Options for reading a file without Hadoop. In the library's package, to access a package-private
 * constructor: the builder requires Hadoop's codecs before others can be set.
 */
@NullMarked
public final class PlainReadOptions {

  private static final int MOST_BYTES_AT_ONCE = 8 << 20;

  private static final ParquetMetricsCallback NOBODY =
      new ParquetMetricsCallback() {
        @Override
        public void setValueInt(String name, int value) {}

        @Override
        public void setValueLong(String name, long value) {}

        @Override
        public void setValueFloat(String name, float value) {}

        @Override
        public void setValueDouble(String name, double value) {}

        @Override
        public void setDuration(String name, long value) {}
      };

  private PlainReadOptions() {}

  /** All of a file, with the checksums of its pages verified. */
  public static ParquetReadOptions of(CompressionCodecFactory codecs) {
    boolean verifiesChecksums = true;
    return new ParquetReadOptions(
        false,
        false,
        false,
        false,
        false,
        verifiesChecksums,
        false,
        false,
        false,
        FilterCompat.NOOP,
        ParquetMetadataConverter.NO_FILTER,
        codecs,
        HeapByteBufferAllocator.getInstance(),
        MOST_BYTES_AT_ONCE,
        Map.of(),
        null,
        NOBODY,
        new PlainParquetConfiguration());
  }
}
