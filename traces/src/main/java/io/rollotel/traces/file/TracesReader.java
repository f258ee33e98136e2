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
import java.nio.file.Files;
import java.nio.file.LinkOption;
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

  /** Null if no other threads parse lines. */
  private final @Nullable LineParsers parsers;

  /** A new reader. */
  public TracesReader() {
    this(null, (bytes, ofBytes) -> {});
  }

  /**
   * A new reader.
   *
   * @param attributes the attributes to keep, the others are not read; null for all
   * @param progress receives the progress of each read separately
   */
  public TracesReader(@Nullable Set<String> attributes, ReadProgress progress) {
    this(attributes, progress, null);
  }

  private TracesReader(
      @Nullable Set<String> attributes, ReadProgress progress, @Nullable LineParsers parsers) {
    this.parser = new LineParser(attributes);
    this.progress = progress;
    this.parsers = parsers;
  }

  /**
   * The same, which parses the lines of large files on other threads as well: those of the JVM's
   * {@link java.util.concurrent.ForkJoinPool#commonPool common pool}. All else, including the
   * consumer, runs on the caller's thread.
   */
  public static TracesReader ofSeveralThreads(
      @Nullable Set<String> attributes, ReadProgress progress) {
    return new TracesReader(attributes, progress, LineParsers.ofThisMachine(attributes));
  }

  /**
   * Passes on every span of a file, or of all {@code *.jsonl}, {@code *.jsonl.gz} and {@code
   * *.parquet} files below a directory.
   *
   * <p>For an output directory, it then passes on spans that dead processes have ended but not
   * exported, from their recorder files: with {@link Recording#RECOVERED} and no other attribute.
   *
   * <p>It skips and counts spans that it has passed on before, and lines and files that it cannot
   * read.
   *
   * @param where an output directory with {@code traces} in it, of which only that is read; or any
   *     other directory; or a file
   * @throws NoSuchFileException if it does not exist
   * @throws IOException if the directory cannot be read
   */
  public ReadSummary read(Path where, Consumer<Span> consumer) throws IOException {
    return read(List.of(where), consumer);
  }

  /**
   * The same of several directories or files. The recorder files come after all of them: a process
   * of one host may have exported to the collector of another.
   *
   * @throws NoSuchFileException if one does not exist
   * @throws IOException if a directory cannot be read
   */
  public ReadSummary read(List<Path> where, Consumer<Span> consumer) throws IOException {
    spans = 0;
    duplicates = 0;
    List<TraceFiles> all = new ArrayList<>();
    List<List<Path>> read = new ArrayList<>();
    for (Path one : where) {
      TraceFiles files =
          new TraceFiles(lines -> readLine(lines, consumer), line -> {}, progress, parsers);
      all.add(files);
      read.add(files.read(one));
    }
    List<Recording> told = new ArrayList<>();
    for (int i = 0; i < where.size(); i++) {
      recover(where.get(i), all.get(i), consumer, told);
    }
    recordings = List.copyOf(told);
    ReadSummary summary = new ReadSummary(List.of(), spans, duplicates, 0, 0, List.of());
    for (int i = 0; i < where.size(); i++) {
      summary = summary.plus(all.get(i).summary(read.get(i), 0, 0));
    }
    return summary;
  }

  /** Spans that dead processes have ended but not exported; {@link #recordings} has the rest. */
  private void recover(
      Path where, TraceFiles files, Consumer<Span> consumer, List<Recording> told) {
    Recordings found = Recordings.read(where);
    unreadable(where, found).forEach(files::unreadable);
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
  }

  /** What the recorder files add to that of the traces: a directory is named once. */
  public static List<UnreadableLine> unreadable(Path where, Recordings found) {
    Path folder = where.resolve(Recordings.FOLDER);
    boolean isNamed =
        TraceFiles.root(where).equals(where)
            && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS);
    return isNamed ? found.unreadableFiles() : found.unreadable();
  }

  /**
   * The recorder files of the last read: none unless it was an output directory. A span that is in
   * the traces is no longer open.
   */
  public List<Recording> recordings() {
    return recordings;
  }

  /**
   * Passes on the spans of the newest lines below a directory, as {@link #read} does; compressed
   * files and Parquet are left out.
   *
   * @param maxBytes the maximum to read
   * @return how many bytes of files were skipped
   * @throws NoSuchFileException if it does not exist
   * @throws IOException if the directory cannot be read
   */
  public long readNewest(Path where, long maxBytes, Consumer<Span> consumer) throws IOException {
    TraceFiles files =
        new TraceFiles(lines -> readLine(lines, consumer), line -> {}, progress, parsers);
    files.readNewest(where, maxBytes);
    return files.leftOutBytes();
  }

  /**
   * The files that {@link #read} would read, in its order.
   *
   * @param unreadable receives directories that cannot be listed
   * @throws NoSuchFileException if it does not exist
   * @throws IOException if the directory cannot be read
   */
  public static List<Path> files(Path where, Consumer<UnreadableLine> unreadable)
      throws IOException {
    return TraceFiles.find(where, unreadable);
  }

  /**
   * The total size of the files that {@link #read} would read: as long as it is the same, files
   * that only grow have not changed.
   *
   * @throws NoSuchFileException if it does not exist
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

  /** Which of the spans read so far belong together although they are in several traces. */
  public CallJoins joins() {
    return joins;
  }

  /** Whether this reader has read that span: then it has ended. */
  public boolean hasRead(OpenSpan span) {
    return hasRead(span.traceId(), span.spanId());
  }

  private boolean readLine(LineSource lines, Consumer<Span> consumer)
      throws IOException, UnreadableLineException {
    for (Span span : lines.spans(parser)) {
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
