package io.rollotel.traces.partition;

import io.rollotel.traces.file.CountedStream;
import io.rollotel.traces.file.LineSource;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.ReadFailure;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLineException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Reads parts of files, and distributes their spans to the partitions. For one thread. */
final class SourceReader {

  /** Where the thread can be paused, or told to stop. */
  interface Stop {

    /** Called frequently, between two lines; it may call {@link #commit}. */
    boolean goesOn() throws IOException;
  }

  private final PartitionWriter writer;
  private final int partitions;
  private final Stop stop;
  private final LongConsumer read;
  private final LineParser parser = new LineParser(null);

  /** The uncommitted data. */
  private final List<Source.Stretch> stretches = new ArrayList<>();

  private String trace = "";
  private int partition;
  private boolean isWeightNoted;

  /**
   * A reader of parts of files.
   *
   * @param partitions their number; the writer has one more file, for joins
   * @param read receives how many more bytes were read
   */
  SourceReader(PartitionWriter writer, int partitions, Stop stop, LongConsumer read) {
    this.writer = writer;
    this.partitions = partitions;
    this.stop = stop;
    this.read = read;
  }

  /** Writes all spans, and records in the sources how far they were read. */
  void commit() throws IOException {
    writer.flush();
    for (Source.Stretch stretch : stretches) {
      stretch.source.add(stretch);
    }
    stretches.clear();
  }

  /** Reads some parts; false if it was told to stop. */
  boolean read(List<Piece> pieces) throws IOException {
    for (Piece piece : pieces) {
      isWeightNoted = false;
      if (!read(piece)) {
        return false;
      }
    }
    commit();
    return true;
  }

  private boolean read(Piece piece) throws IOException {
    Source.Stretch stretch = begin(piece.source(), piece.from());
    try (InputStream in = open(piece)) {
      if (in == null) {
        piece.source().isReplaced = true;
        return true;
      }
      return readLines(piece, in, stretch);
    } catch (NoSuchFileException moved) {
      piece.source().isReplaced = true; // looked for again
      return true;
    } catch (ReadException e) {
      last().error = new Source.Problem(last().to, e.line, String.valueOf(e.getMessage()));
      return true;
    }
  }

  private Source.Stretch begin(Source source, long from) {
    Source.Stretch stretch = new Source.Stretch(source, from);
    stretches.add(stretch);
    return stretch;
  }

  private Source.Stretch last() {
    return stretches.get(stretches.size() - 1);
  }

  /** Reading the file failed, which leaves the cache valid. */
  private static final class ReadException extends IOException {
    private static final long serialVersionUID = 1L;

    final long line;

    ReadException(long line, IOException cause) {
      super(ReadFailure.reason(cause), cause);
      this.line = line;
    }
  }

  /** Null if it is not the expected file. */
  private @Nullable InputStream open(Piece piece) throws IOException {
    Source source = piece.source();
    try {
      if (source.look.size() == FoundFiles.NO_FILE) {
        InputStream in = new CountedStream(Files.newInputStream(source.path), read);
        return source.isPacked ? Source.unpacked(source.path, in, 64 << 10, read) : in;
      }
      FileChannel channel = FileChannel.open(source.path, StandardOpenOption.READ);
      boolean isOpened = false;
      try {
        if (source.isPacked
            ? channel.size() != source.look.size()
            : !source.takesHead(Head.of(channel)) || !source.hasTail(channel)) {
          return null;
        }
        InputStream in = new CountedStream(Channels.newInputStream(channel), read);
        if (source.isPacked) {
          in = Source.unpacked(source.path, in, 64 << 10, read);
          if (!skips(in, piece.from())) {
            return null;
          }
        } else {
          channel.position(piece.isAtLine() ? piece.from() : piece.from() - 1);
        }
        isOpened = true;
        return in;
      } finally {
        if (!isOpened) {
          channel.close();
        }
      }
    } catch (NoSuchFileException moved) {
      throw moved;
    } catch (IOException e) {
      throw new ReadException(0, e);
    }
  }

  private static boolean skips(InputStream in, long bytes) throws IOException {
    try {
      in.skipNBytes(bytes);
      return true;
    } catch (EOFException shorter) {
      return false;
    }
  }

  private boolean readLines(Piece piece, InputStream in, Source.Stretch first) throws IOException {
    Source.Stretch stretch = first;
    LineSource lines = LineSource.ofSpans(in);
    long base = piece.isAtLine() ? piece.from() : piece.from() - 1;
    boolean isBegun = piece.isAtLine();
    if (!isBegun && !next(lines, stretch)) {
      return true;
    }
    while (next(lines, stretch)) {
      long start = base + lines.offset();
      if (!isBegun) {
        isBegun = true;
        stretch.from = start;
        stretch.to = start;
      }
      if (start >= piece.to()) {
        return true;
      }
      List<Span> spans = line(lines, start, stretch);
      if (spans == null) {
        return true;
      }
      for (Span span : spans) {
        add(span, stretch.source.id, start);
      }
      stretch.spans += spans.size();
      stretch.newlines += isAtEnd(lines, stretch) ? 0 : 1;
      stretch.to = base + lines.offset();
      if (!stop.goesOn()) {
        return false;
      }
      if (stretches.isEmpty()) {
        stretch = begin(piece.source(), stretch.to);
      }
    }
    return true;
  }

  /** A line's spans; null if the file ends within it: then it is read again later. */
  private @Nullable List<Span> line(LineSource lines, long start, Source.Stretch stretch)
      throws IOException {
    try {
      List<Span> spans = lines.spans(parser);
      stretch.tornLines += parser.isAfterTornPart() ? 1 : 0;
      return spans;
    } catch (UnreadableLineException e) {
      if (isAtEnd(lines, stretch)) {
        stretch.isTornAtEnd = true;
        return null;
      }
      if (e.isCutOff()) {
        stretch.tornLines++;
      } else {
        stretch.unreadable(start, String.valueOf(e.getMessage()));
      }
      return List.of();
    } catch (EOFException cutOff) {
      stretch.isTornAtEnd = true; // only a compressed file reports that
      return null;
    } catch (IOException e) {
      throw new ReadException(stretch.newlines + 1, e);
    }
  }

  private static boolean next(LineSource lines, Source.Stretch stretch) throws IOException {
    try {
      return lines.nextLine();
    } catch (EOFException cutOff) {
      stretch.isTornAtEnd = true;
      return false;
    } catch (IOException e) {
      throw new ReadException(stretch.newlines + 1, e);
    }
  }

  private static boolean isAtEnd(LineSource lines, Source.Stretch stretch) throws IOException {
    try {
      return lines.endsWithFile();
    } catch (EOFException cutOff) {
      return true;
    } catch (IOException e) {
      throw new ReadException(stretch.newlines + 1, e);
    }
  }

  @SuppressWarnings("ReferenceEquality") // an equal one has the same partition
  private void add(Span span, int source, long offset) throws IOException {
    if (span.traceId() != trace) {
      trace = span.traceId();
      partition = TraceHash.partition(trace, partitions);
    }
    writer.add(partition, span, source, offset);
    boolean isOtherWeight = span.weight() != 1 && !isWeightNoted;
    if (isOtherWeight || CallJoins.isEnd(span)) {
      isWeightNoted |= isOtherWeight;
      writer.add(partitions, CallJoins.bare(span), source, offset);
    }
  }
}
