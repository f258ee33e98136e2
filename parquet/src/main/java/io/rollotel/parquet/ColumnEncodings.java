package io.rollotel.parquet;

import java.util.Objects;
import java.util.Set;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter.PlainBinaryDictionaryValuesWriter;
import org.apache.parquet.column.values.factory.DefaultV1ValuesWriterFactory;
import org.apache.parquet.column.values.factory.DefaultV2ValuesWriterFactory;
import org.apache.parquet.column.values.factory.ValuesWriterFactory;
import org.apache.parquet.column.values.fallback.FallbackValuesWriter;
import org.apache.parquet.column.values.plain.PlainValuesWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Encodes times as differences, ids, which occur once, unchanged, and everything else by a
 * dictionary as long as that pays off.
 */
final class ColumnEncodings implements ValuesWriterFactory {

  private static final Set<String> TIMES =
      Set.of("start_time", "start_time_unix_nano", "end_time_unix_nano", "duration_nano");

  private static final String SPAN_ID = "span_id";

  /** The columns by whose least and greatest value engines skip row groups. */
  private static final Set<String> RANGED =
      Set.of(
          "trace_id",
          "name",
          "start_time",
          "start_time_unix_nano",
          "end_time_unix_nano",
          "duration_nano",
          "roll_run_id",
          "global_step");

  private @Nullable ParquetProperties settings;
  private final DefaultV1ValuesWriterFactory plain = new DefaultV1ValuesWriterFactory();
  private final DefaultV2ValuesWriterFactory differences = new DefaultV2ValuesWriterFactory();

  /** The settings for writing the file. */
  static ParquetProperties properties() {
    ParquetProperties.Builder properties =
        ParquetProperties.builder()
            .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
            .withSizeStatisticsEnabled(false)
            .withValuesWriterFactory(new ColumnEncodings())
            .withStatisticsEnabled(false)
            .withDictionaryEncoding(SPAN_ID, false);
    TIMES.forEach(time -> properties.withDictionaryEncoding(time, false));
    RANGED.forEach(column -> properties.withStatisticsEnabled(column, true));
    return properties.build();
  }

  @Override
  public void initialize(ParquetProperties properties) {
    settings = properties;
    plain.initialize(properties);
    differences.initialize(properties);
  }

  @Override
  public ValuesWriter newValuesWriter(ColumnDescriptor column) {
    ParquetProperties known = Objects.requireNonNull(settings);
    if (column.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY
        && known.isDictionaryEnabled(column)) {
      return FallbackValuesWriter.of(new KnownTexts(known), plainTexts(known));
    }
    boolean isTime = column.getPath().length == 1 && TIMES.contains(column.getPath()[0]);
    return (isTime ? differences : plain).newValuesWriter(column);
  }

  private static PlainValuesWriter plainTexts(ParquetProperties known) {
    return new PlainValuesWriter(
        known.getInitialSlabSize(), known.getPageSizeThreshold(), known.getAllocator());
  }

  /**
   * A dictionary that skips the lookup if the object is the same as the last one: many columns have
   * the same long text on thousands of rows.
   */
  private static final class KnownTexts extends PlainBinaryDictionaryValuesWriter {

    private @Nullable Binary last;
    private int numberOfLast;

    KnownTexts(ParquetProperties known) {
      super(
          known.getDictionaryPageSizeThreshold(),
          Encoding.RLE_DICTIONARY,
          Encoding.PLAIN,
          known.getAllocator());
    }

    @Override
    public void writeBytes(Binary text) {
      if (isLast(text)) {
        encodedValues.add(numberOfLast);
        return;
      }
      super.writeBytes(text);
      if (!text.isBackingBytesReused()) {
        last = text;
        numberOfLast = binaryDictionaryContent.getInt(text);
      }
    }

    @SuppressWarnings("ReferenceEquality") // comparing texts takes most of the time
    private boolean isLast(Binary text) {
      return text == last;
    }

    @Override
    protected void clearDictionaryContent() {
      super.clearDictionaryContent();
      last = null;
    }
  }
}
