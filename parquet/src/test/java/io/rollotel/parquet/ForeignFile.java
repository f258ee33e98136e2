package io.rollotel.parquet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.jspecify.annotations.Nullable;

/** A file of another program: columns of any type, of which a row has some or none. */
final class ForeignFile {

  private ForeignFile() {}

  /** Writes a row group; what has a path of several parts is null in each row. */
  @SuppressWarnings("deprecation") // as in SpanRows
  static void write(Path file, String columns, List<Map<String, Object>> rows) throws IOException {
    MessageType schema = MessageTypeParser.parseMessageType("message other {" + columns + "}");
    ParquetProperties properties = ParquetProperties.builder().build();
    CountedFile out = new CountedFile(Files.newOutputStream(file));
    ParquetFileWriter writer =
        new ParquetFileWriter(out, schema, ParquetFileWriter.Mode.CREATE, 1 << 20, 0);
    writer.start();
    writer.startBlock(rows.size());
    ColumnChunkPageWriteStore pages =
        new ColumnChunkPageWriteStore(
            new PageCodecs().getCompressor(CompressionCodecName.GZIP),
            schema,
            properties.getAllocator(),
            properties.getColumnIndexTruncateLength(),
            properties.getPageWriteChecksumEnabled());
    ColumnWriteStore store = properties.newColumnWriteStore(schema, pages, pages);
    for (Map<String, Object> row : rows) {
      for (ColumnDescriptor column : schema.getColumns()) {
        value(store.getColumnWriter(column), column, row.get(column.getPath()[0]));
      }
      store.endRecord();
    }
    store.flush();
    pages.flushToFileWriter(writer);
    writer.endBlock();
    writer.end(new HashMap<>());
    out.close();
  }

  private static void value(ColumnWriter to, ColumnDescriptor column, @Nullable Object value) {
    int present = column.getMaxDefinitionLevel();
    if (value instanceof String text) {
      to.write(Binary.fromString(text), 0, present);
    } else if (value instanceof byte[] bytes) {
      to.write(Binary.fromConstantByteArray(bytes), 0, present);
    } else if (value instanceof Long number) {
      to.write(number.longValue(), 0, present);
    } else if (value instanceof Integer number) {
      to.write(number.intValue(), 0, present);
    } else if (value instanceof Double number) {
      to.write(number.doubleValue(), 0, present);
    } else if (value instanceof Float number) {
      to.write(number.floatValue(), 0, present);
    } else {
      to.writeNull(0, 0);
    }
  }
}
