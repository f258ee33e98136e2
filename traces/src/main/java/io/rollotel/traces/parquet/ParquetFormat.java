package io.rollotel.traces.parquet;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes spans as Parquet, a row for each: docs/parquet.md has the columns. The module
 * {@code parquet} implements it, with a public constructor without arguments.
 */
public interface ParquetFormat {

  /** The extension of Parquet files. */
  String SUFFIX = ".parquet";

  /**
   * Whether Spark and others skip a Parquet file that has this name, or lies in a folder of this
   * name below the directory: it is unfinished, or internal.
   */
  static boolean isAside(String name) {
    return name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
  }

  /** Which spans are wanted. */
  interface Wanted {
    /** Ids are hex in lower case, of full length. */
    boolean has(String traceId, String spanId);
  }

  /** Receives spans; its memory is bounded. For use by one thread. */
  interface Rows extends Closeable {

    /**
     * Adds the spans of a request.
     *
     * @param request a valid {@code ExportTraceServiceRequest} in protobuf
     * @param length how many of its bytes are valid
     * @throws IOException if it cannot be written
     */
    void add(byte[] request, int length) throws IOException;

    /** The number of spans added, without unwanted ones. */
    long size();

    /** Writes the rest and the file's footer; without the footer, the file cannot be read. */
    @Override
    void close() throws IOException;
  }

  /** The version of roll-otel that it belongs to. */
  String version();

  /**
   * Begins a file.
   *
   * @param to receives the file; it is closed with the rows
   * @param wanted which spans become rows; null for all
   * @throws IOException if it cannot be written
   */
  Rows write(OutputStream to, @Nullable Wanted wanted) throws IOException;

  /**
   * Reads a file of any program as lines of OTLP/JSON: only the known columns of each row.
   *
   * @param read told, now and then, how many bytes of the file were read since the last time
   * @throws IOException if it is not a Parquet file or has no column of span ids, with a message
   *     for users; the stream's methods throw it if a row group cannot be read
   */
  InputStream read(Path file, LongConsumer read) throws IOException;

  /**
   * The implementation.
   *
   * @throws IOException if it is missing or of another version; the message says what to do
   */
  static ParquetFormat find() throws IOException {
    return ParquetJar.format();
  }
}
