package io.rollotel.parquet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.parquet.PlainReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a file as lines of OTLP/JSON, each with one resource and scope. A row group is in
 * memory.
 */
final class SpanLines extends InputStream {

  static final List<String> KINDS =
      List.of("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER");

  static final List<String> STATUS_CODES = List.of("UNSET", "OK", "ERROR");

  private static final String OUR_WRITER = "parquet-mr";

  private final ParquetFileReader file;
  private final MessageType schema;
  private final String createdBy;
  private final long bytesOfGroup;
  private final LongConsumer read;
  private long bytesLeft;

  private @Nullable RowLines group;
  private byte[] line = {};
  private int position;
  private int groupNumber;

  private SpanLines(ParquetFileReader file, MessageType schema, long bytes, LongConsumer read) {
    this.file = file;
    this.schema = schema;
    this.createdBy = String.valueOf(file.getFileMetaData().getCreatedBy());
    this.bytesOfGroup = bytes / Math.max(1, file.getRowGroups().size());
    this.bytesLeft = bytes;
    this.read = read;
  }

  static SpanLines open(Path path, LongConsumer read) throws IOException {
    long bytes = Files.size(path);
    ParquetFileReader file = null;
    boolean isOpen = false;
    try {
      file = new ParquetFileReader(named(path), PlainReadOptions.of(new PageCodecs()));
      check(file.getFooter(), bytes);
      MessageType known =
          KnownColumns.of(file.getFileMetaData().getSchema(), hasAllResources(file.getFooter()));
      file.setRequestedSchema(known);
      SpanLines lines = new SpanLines(file, known, bytes, read);
      isOpen = true;
      return lines;
    } catch (RuntimeException damaged) {
      throw new IOException("incomplete Parquet file: " + reason(damaged), damaged);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          "incomplete Parquet file, or one with a footer that is too large: " + e, e);
    } finally {
      if (!isOpen && file != null) {
        file.close();
      }
    }
  }

  /** The library's messages have it as a text, and its own one is of an object's address. */
  private static LocalInputFile named(Path path) {
    return new LocalInputFile(path) {
      @Override
      public String toString() {
        return "it";
      }
    };
  }

  /** Checked before memory is allocated for them. */
  private static void check(ParquetMetadata footer, long fileBytes) throws IOException {
    for (BlockMetaData group : footer.getBlocks()) {
      for (ColumnChunkMetaData column : group.getColumns()) {
        long from = column.getStartingPos();
        long size = column.getTotalSize();
        if (from < 0 || size < 0 || from > fileBytes - size) {
          throw new IOException(
              "incomplete Parquet file: column "
                  + column.getPath().toDotString()
                  + " of row group "
                  + (group.getOrdinal() + 1)
                  + " would lie outside it");
        }
      }
    }
  }

  /** Files that we write have everything in {@code resource_attributes}; others may as well. */
  private static boolean hasAllResources(ParquetMetadata footer) {
    FileMetaData facts = footer.getFileMetaData();
    if (facts.getKeyValueMetaData().containsKey(SpanSchema.VERSION_KEY)
        && String.valueOf(facts.getCreatedBy()).startsWith(OUR_WRITER)) {
      return true; // arrow's writers copy a file's metadata
    }
    ColumnPath path = ColumnPath.get("resource_attributes");
    return footer.getBlocks().stream()
        .flatMap(group -> group.getColumns().stream())
        .filter(column -> column.getPath().equals(path))
        .map(ColumnChunkMetaData::getStatistics)
        .allMatch(of -> of != null && of.isNumNullsSet() && of.getNumNulls() == 0);
  }

  /** The library's message without the file's name, which the user sees already. */
  private static String reason(RuntimeException e) {
    String message = e.getMessage();
    return message == null ? e.toString() : message;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    while (position == line.length) {
      if (!nextLine()) {
        return -1;
      }
    }
    int count = Math.min(length, line.length - position);
    System.arraycopy(line, position, bytes, offset, count);
    position += count;
    return count;
  }

  private boolean nextLine() throws IOException {
    try {
      while (group == null || !group.hasNext()) {
        if (group != null) {
          tell(bytesOfGroup);
        }
        groupNumber++;
        PageReadStore pages = file.readNextRowGroup();
        if (pages == null) {
          tell(bytesLeft);
          group = null;
          return false;
        }
        group = new RowLines(pages, schema, createdBy);
      }
      line = group.next();
      position = 0;
      return true;
    } catch (RuntimeException damaged) {
      throw new IOException(
          "row group " + groupNumber + " cannot be read: " + reason(damaged), damaged);
    } catch (OutOfMemoryError e) {
      group = null;
      throw new IOException(
          "row group " + groupNumber + " takes more memory than there is, or is damaged: " + e, e);
    }
  }

  private void tell(long bytes) {
    bytesLeft -= bytes;
    read.accept(bytes);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
