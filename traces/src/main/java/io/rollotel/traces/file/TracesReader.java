package io.rollotel.traces.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * Reads spans from traces files: ours, otelcol's and ROLL's.
 *
 * <p>A reader remembers the ids of all spans that it has read, 24 to 48 bytes each. For use by one
 * thread.
 */
public final class TracesReader {

  private static final int MAX_NAMED_UNREADABLE = 20;

  private final SpanIdSet ids = new SpanIdSet();

  // Of the current read.
  private final List<UnreadableLine> firstUnreadable = new ArrayList<>();
  private long spans;
  private long duplicates;
  private long tornLines;
  private long unreadableLines;

  /** A reader that has read nothing yet. */
  public TracesReader() {}

  /**
   * Passes on every span of a file, or of all {@code *.jsonl} and {@code *.jsonl.gz} files below a
   * directory.
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
    firstUnreadable.clear();
    spans = 0;
    duplicates = 0;
    tornLines = 0;
    unreadableLines = 0;
    List<Path> files = files(where);
    for (Path file : files) {
      readFile(file, consumer);
    }
    return new ReadSummary(
        files, spans, duplicates, tornLines, unreadableLines, List.copyOf(firstUnreadable));
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

  private List<Path> files(Path where) throws IOException {
    if (!Files.exists(where)) {
      throw new NoSuchFileException(where.toString());
    }
    if (!Files.isDirectory(where)) {
      return List.of(where);
    }
    Path traces = where.resolve("traces");
    // The real path: the directory may be a link, and links are not followed below it.
    Path root = (Files.isDirectory(traces) ? traces : where).toRealPath();
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if ((name.endsWith(".jsonl") || name.endsWith(".jsonl.gz"))
                && Files.isRegularFile(file)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (file.equals(root)) {
              throw e;
            }
            unreadable(file, 0, e.toString());
            return FileVisitResult.CONTINUE;
          }
        });
    Collections.sort(files);
    return Collections.unmodifiableList(files);
  }

  private void readFile(Path file, Consumer<Span> consumer) {
    long lineNumber = 0;
    try (InputStream in = open(file)) {
      LineSource lines = new LineSource(in);
      while (true) {
        lineNumber++;
        if (!lines.nextLine()) {
          return;
        }
        readLine(file, lines, consumer);
      }
    } catch (EOFException cutOff) {
      tornLines++; // only a compressed file says so
    } catch (IOException e) {
      unreadable(file, lineNumber, e.toString());
    }
  }

  private void readLine(Path file, LineSource lines, Consumer<Span> consumer) throws IOException {
    List<Span> read;
    try {
      read = LineParser.parse(lines);
    } catch (UnreadableLineException e) {
      if (lines.endsWithFile()) {
        tornLines++;
      } else {
        unreadable(file, lines.lineNumber(), String.valueOf(e.getMessage()));
      }
      return;
    }
    for (Span span : read) {
      if (ids.add(span.traceId(), span.spanId())) {
        spans++;
        consumer.accept(span);
      } else {
        duplicates++;
      }
    }
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    if (!file.toString().endsWith(".gz")) {
      return in;
    }
    try {
      return new GZIPInputStream(in, 64 << 10);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private void unreadable(Path file, long lineNumber, String reason) {
    unreadableLines++;
    if (firstUnreadable.size() < MAX_NAMED_UNREADABLE) {
      firstUnreadable.add(new UnreadableLine(file, lineNumber, reason));
    }
  }
}
