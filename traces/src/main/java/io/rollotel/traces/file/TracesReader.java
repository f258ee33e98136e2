package io.rollotel.traces.file;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.SeenSpans;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.otlp.UnreadableLineException;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads spans from traces files: roll-otel's, otelcol's and ROLL's.
 *
 * <p>A reader remembers the ids of all spans that it has read, 16 to 72 bytes each. For use by one
 * thread.
 */
public final class TracesReader {

  private final SeenSpans ids = new SeenSpans();
  private final CallJoins joins = new CallJoins();

  // Of the current read.
  private long spans;
  private long duplicates;
  private List<Recording> recordings = List.of();

  private final LineParser parser;
  private final ReadProgress progress;

  /** A reader that has read nothing yet. */
  public TracesReader() {
    this(null, (bytes, ofBytes) -> {});
  }

  /**
   * A reader that has read nothing yet.
   *
   * @param attributes those of spans that are kept, the others are not read; null for all
   * @param progress told of each read by itself
   */
  public TracesReader(@Nullable Set<String> attributes, ReadProgress progress) {
    this.parser = new LineParser(attributes);
    this.progress = progress;
  }

  /**
   * Passes on every span of a file, or of all {@code *.jsonl}, {@code *.jsonl.gz} and {@code
   * *.parquet} files below a directory.
   *
   * <p>Of an output directory, then those that dead processes have ended and not exported, out of
   * their recorder files: with {@link Recording#RECOVERED} and no other attribute.
   *
   * <p>A span that this reader has passed on before is left out and counted, and so is a line that
   * cannot be read, or a whole file.
   *
   * @param where an output directory with {@code traces} in it, which alone is then looked into; or
   *     any other directory; or a file
   * @throws NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read
   */
  public ReadSummary read(Path where, Consumer<Span> consumer) throws IOException {
    spans = 0;
    duplicates = 0;
    TraceFiles files = new TraceFiles(lines -> readLine(lines, consumer), line -> {}, progress);
    List<Path> read = files.read(where);
    recover(where, files, consumer);
    return files.summary(read, spans, duplicates);
  }

  /** Spans that dead processes have ended and not exported; {@link #recordings} tells the rest. */
  private void recover(Path where, TraceFiles files, Consumer<Span> consumer) {
    Recordings found = Recordings.read(where);
    found.unreadable().forEach(files::unreadable);
    List<Recording> told = new ArrayList<>();
    for (Recording recording : found.all()) {
      if (!recording.isAlive()) {
        for (Span span : recording.ended()) {
          if (ids.add(span.traceId(), span.spanId())) {
            spans++;
            consumer.accept(span);
          }
        }
      }
      told.add(recording.without(this::hasRead));
    }
    recordings = List.copyOf(told);
  }

  /**
   * What the recorder files say that lie where the last read was: none unless that was an output
   * directory. A span that is in the traces is not open any more.
   */
  public List<Recording> recordings() {
    return recordings;
  }

  /**
   * Passes on the spans of the newest lines below a directory, as {@link #read} does; compressed
   * files and Parquet are left out.
   *
   * @param maxBytes how much is read at most
   * @return how many bytes of files were left out
   * @throws NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read
   */
  public long readNewest(Path where, long maxBytes, Consumer<Span> consumer) throws IOException {
    TraceFiles files = new TraceFiles(lines -> readLine(lines, consumer), line -> {}, progress);
    files.readNewest(where, maxBytes);
    return files.leftOutBytes();
  }

  /**
   * The files that {@link #read} would read, in its order.
   *
   * @param unreadable told of a directory that cannot be looked into
   * @throws NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read
   */
  public static List<Path> files(Path where, Consumer<UnreadableLine> unreadable)
      throws IOException {
    return TraceFiles.find(where, unreadable);
  }

  /**
   * How many bytes the files have that {@link #read} would read: files that only ever grow are the
   * same while it is.
   *
   * @throws NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read
   */
  public static long bytes(Path where) throws IOException {
    return new TraceFiles(lines -> true, line -> {}).bytes(where);
  }

  /**
   * Whether this reader has read that span.
   *
   * @param traceId as in {@link Span#traceId}
   * @param spanId as in {@link Span#spanId}
   */
  public boolean hasRead(String traceId, String spanId) {
    return ids.contains(traceId, spanId);
  }

  /** What of the spans read so far belongs together although it has come as several traces. */
  public CallJoins joins() {
    return joins;
  }

  /** Whether this reader has read that span: then it has ended. */
  public boolean hasRead(OpenSpan span) {
    return hasRead(span.traceId(), span.spanId());
  }

  private boolean readLine(LineSource lines, Consumer<Span> consumer)
      throws IOException, UnreadableLineException {
    for (Span span : parser.parse(lines)) {
      if (ids.add(span.traceId(), span.spanId())) {
        spans++;
        joins.see(span);
        consumer.accept(span);
      } else {
        duplicates++;
      }
    }
    return !parser.isAfterTornPart();
  }
}
