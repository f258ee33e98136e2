package io.rollotel.spark;

import io.rollotel.traces.file.GzipStream;
import io.rollotel.traces.file.LineSource;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLineException;
import io.rollotel.traces.parquet.ParquetFormat;
import io.rollotel.traces.partition.SpanBlocks;
import io.rollotel.traces.spans.Spans;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Iterator;
import java.util.zip.ZipException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Reads a piece of a file into blocks for the partitions of its spans' traces. Two more partitions
 * follow: spans that say which calls belong together, and at last {@link PieceCounts}. For one
 * thread.
 *
 * <p>Errors in a file are counted. An unavailable file causes an exception: Spark tries again,
 * perhaps on another machine.
 */
final class PieceReader implements Iterator<Tuple2<Integer, byte[]>>, Closeable {

  private final FilePiece piece;
  private final Configuration configuration;
  private final int partitions;
  private final BlockQueue blocks;
  private final PieceCounts counts;
  private final LineParser parser;

  private @Nullable InputStream in;
  private @Nullable LineSource lines;
  private boolean isAtEnd;

  private String trace = "";
  private int partition;
  private boolean isWeightNoted;

  /**
   * A new reader.
   *
   * @param isWhole whether spans keep all attributes, events and links, which no analysis reads
   */
  PieceReader(FilePiece piece, Configuration configuration, int partitions, boolean isWhole) {
    this.piece = piece;
    this.configuration = configuration;
    this.partitions = partitions;
    this.blocks = new BlockQueue(partitions + 2);
    this.counts = new PieceCounts(piece);
    this.parser = new LineParser(isWhole ? null : new Spans().attributesRead());
  }

  @Override
  public boolean hasNext() {
    try {
      while (blocks.isEmpty() && !isAtEnd) {
        isAtEnd = !readOn();
        if (isAtEnd) {
          blocks.flush();
          blocks.add(partitions + 1, Serial.bytes(counts));
          close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(piece.uri() + ": " + e.getMessage(), e);
    }
    return !blocks.isEmpty();
  }

  @Override
  public Tuple2<Integer, byte[]> next() {
    return blocks.remove();
  }

  /** Reads a line, if there is one. */
  private boolean readOn() throws IOException {
    try {
      LineSource source = lines;
      if (source == null) {
        source = open();
        lines = source;
        if (piece.from() > 0 && !source.nextLine()) { // the rest of a line of the piece before
          return false;
        }
      }
      if (!source.nextLine()) {
        return false;
      }
      long offset = source.offset() + Math.max(0, piece.from() - 1);
      if (offset >= piece.to()) {
        return false;
      }
      counts.lines++;
      readLine(source, offset);
      return true;
    } catch (EOFException cutOff) {
      if (!piece.isGzip()) {
        throw cutOff; // it has become shorter since it was found
      }
      counts.tornLines++;
      return false;
    } catch (ZipException e) {
      counts.unreadable(lines == null ? 0 : counts.lines + 1, e.toString());
      return false;
    } catch (WrongParquetException e) {
      counts.unreadable(counts.lines + (lines == null ? 0 : 1), e.getMessage());
      return false;
    }
  }

  private void readLine(LineSource source, long offset) throws IOException {
    try {
      for (Span span : source.spans(parser)) {
        counts.spans++;
        add(span, offset);
      }
      counts.tornLines += parser.isAfterTornPart() ? 1 : 0;
    } catch (UnreadableLineException e) {
      if (source.endsWithFile() || e.isCutOff()) {
        counts.tornLines++;
      } else {
        counts.unreadable(counts.lines, String.valueOf(e.getMessage()));
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // an equal one has the same partition
  private void add(Span span, long offset) {
    if (span.traceId() != trace) {
      trace = span.traceId();
      partition = SpanBlocks.partition(trace, partitions);
    }
    blocks.add(partition, span, piece.rank(), offset);
    boolean isOtherWeight = span.weight() != 1 && !isWeightNoted;
    if (isOtherWeight || CallJoins.isEnd(span)) {
      isWeightNoted |= isOtherWeight;
      blocks.add(partitions, CallJoins.bare(span), piece.rank(), offset);
    }
  }

  private LineSource open() throws IOException {
    Path path = new Path(piece.uri());
    FileSystem system = path.getFileSystem(configuration);
    if (piece.isParquet()) {
      InputStream rows = parquet(system, path);
      in = rows;
      return LineSource.ofSpans(rows);
    }
    FSDataInputStream file = system.open(path);
    in = file;
    if (piece.isGzip()) {
      InputStream unpacked = new GzipStream(file, 64 << 10);
      in = unpacked;
      return LineSource.ofSpans(unpacked);
    }
    if (piece.from() > 0) {
      file.seek(piece.from() - 1);
    }
    return LineSource.ofSpans(file);
  }

  /**
   * The reader jumps around in the file, which is small for its contents, so the file is copied.
   */
  private static InputStream parquet(FileSystem system, Path path) throws IOException {
    java.nio.file.Path local = localFile();
    boolean isOpened = false;
    try {
      try (InputStream remote = system.open(path)) {
        Files.copy(remote, local, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      }
      ParquetFormat format = ParquetFormat.find();
      InputStream rows = new Rows(opened(format, local), local);
      isOpened = true;
      deleteOpen(local);
      return rows;
    } finally {
      if (!isOpened) {
        Files.delete(local);
      }
    }
  }

  /** With the executor's blocks, which Spark deletes at the latest when the application ends. */
  private static java.nio.file.Path localFile() throws IOException {
    SparkEnv executor = SparkEnv.get();
    if (executor == null) { // in a test
      return Files.createTempFile("roll-otel-", FilePiece.PARQUET);
    }
    return executor.blockManager().diskBlockManager().createTempLocalBlock()._2().toPath();
  }

  /** An executor that is killed then leaves nothing behind. */
  private static void deleteOpen(java.nio.file.Path local) {
    try {
      Files.delete(local);
    } catch (IOException onWindows) {
      // An open file stays there: it goes when it is closed.
    }
  }

  private static InputStream opened(ParquetFormat format, java.nio.file.Path local)
      throws WrongParquetException {
    try {
      return format.read(local, bytes -> {});
    } catch (IOException e) {
      throw new WrongParquetException(e);
    }
  }

  /** The error of a file on this machine. */
  private static final class WrongParquetException extends IOException {
    WrongParquetException(IOException cause) {
      super(
          cause.getClass() == IOException.class && cause.getMessage() != null
              ? cause.getMessage()
              : cause.toString(),
          cause);
    }

    @Override
    public String getMessage() {
      return String.valueOf(super.getMessage());
    }
  }

  /** The rows of a local copy, which goes with them. */
  private static final class Rows extends FilterInputStream {

    private final java.nio.file.Path local;

    Rows(InputStream rows, java.nio.file.Path local) {
      super(rows);
      this.local = local;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        return super.read(bytes, offset, length);
      } catch (IOException e) {
        throw new WrongParquetException(e);
      }
    }

    @Override
    public void close() throws IOException {
      super.close();
      Files.deleteIfExists(local);
    }
  }

  @Override
  public void close() throws IOException {
    InputStream opened = in;
    in = null;
    try {
      if (opened != null) {
        opened.close();
      }
    } finally {
      blocks.close();
    }
  }
}
