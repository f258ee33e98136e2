package io.rollotel.traces.file;

import io.rollotel.traces.otlp.ReadFailure;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.otlp.UnreadableLineException;
import io.rollotel.traces.parquet.ParquetFormat;
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
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of a directory line by line, including rotated and compressed ones and Parquet.
 */
final class TraceFiles {

  /** Processes a line. */
  interface LineReader {
    /**
     * Reads the line; throws an {@code IOException} if the rest of the file cannot be read.
     *
     * @return whether all of it was read; false if it contains a part of another line
     */
    boolean read(LineSource line) throws IOException, UnreadableLineException;
  }

  /** Writers may set files aside while those of the list before are read. */
  private static final int MOST_LISTINGS = 3;

  private final LineReader reader;
  private final Consumer<UnreadableLine> onUnreadable;
  private final ReadProgress progress;

  /** Null if no other threads parse lines. */
  private final @Nullable LineParsers parsers;

  /** Receives each line of which a part is missing. */
  private Consumer<UnreadableLine> onTorn = line -> {};

  private final OpenedFiles opened = new OpenedFiles();

  /** Those that were no longer there. */
  private final List<UnreadableLine> gone = new ArrayList<>();

  private final FirstUnreadable firstUnreadable = new FirstUnreadable();
  private long readBytes;
  private long totalBytes;
  private long leftOutBytes;
  private long tornLines;
  private long unreadableLines;
  private long unreadableFiles;

  TraceFiles(LineReader reader, Consumer<UnreadableLine> onUnreadable) {
    this(reader, onUnreadable, (bytes, ofBytes) -> {}, null);
  }

  TraceFiles(
      LineReader reader,
      Consumer<UnreadableLine> onUnreadable,
      ReadProgress progress,
      @Nullable LineParsers parsers) {
    this.reader = reader;
    this.onUnreadable = onUnreadable;
    this.progress = progress;
    this.parsers = parsers;
  }

  /** Passes on lines of which a part is missing; without this, they are only counted. */
  TraceFiles toldOfTornLines(Consumer<UnreadableLine> receiver) {
    onTorn = receiver;
    return this;
  }

  /** The number of bytes to read. */
  long bytes(Path where) throws IOException {
    return bytes(find(where));
  }

  private static long bytes(List<Path> files) {
    long bytes = 0;
    for (Path file : files) {
      bytes += file.toFile().length(); // 0 if it is unknown
    }
    return bytes;
  }

  /**
   * Reads a file, or all files below a directory; returns the files that were there. Those that
   * were set aside or compressed meanwhile are read as well.
   */
  List<Path> read(Path where) throws IOException {
    Set<Path> read = new TreeSet<>();
    List<Path> files = find(where);
    for (int listings = 1; !files.isEmpty(); listings++) {
      totalBytes += bytes(files);
      for (Path file : files) {
        if (readFile(file, 0)) {
          read.add(file);
        }
      }
      files = listings < MOST_LISTINGS ? opened.others(listedAgain(where)) : List.of();
    }
    for (UnreadableLine file : gone) {
      if (!opened.hasMoved(file.file())) {
        unreadableFiles++;
        unreadable(file);
      }
    }
    return List.copyOf(read);
  }

  private static List<Path> listedAgain(Path where) {
    try {
      return find(where, folder -> {}); // the first list has told of these
    } catch (IOException gone) {
      return List.of();
    }
  }

  /**
   * Reads the newest part of the files below a directory, except compressed files and Parquet:
   * complete lines, up to this many bytes.
   */
  List<Path> readNewest(Path where, long maxBytes) throws IOException {
    List<Path> files = newestFirst(find(where));
    long left = maxBytes;
    for (Path file : files) {
      long length = file.toFile().length();
      long from = Math.max(0, length - left);
      if (from < length) {
        readFile(file, from);
      }
      left -= length - from;
      leftOutBytes += from;
    }
    return files;
  }

  private static List<Path> newestFirst(List<Path> files) {
    record Dated(Path file, long millis) {}
    List<Dated> dated = new ArrayList<>();
    for (Path file : files) {
      String name = file.toString();
      if (!name.endsWith(".gz") && !name.endsWith(ParquetFormat.SUFFIX)) {
        // Read once: the time of a file that is being written changes while they are sorted.
        dated.add(new Dated(file, file.toFile().lastModified()));
      }
    }
    dated.sort(Comparator.comparingLong(Dated::millis).reversed());
    return dated.stream().map(Dated::file).toList();
  }

  /** The number of bytes that {@link #readNewest} did not read. */
  long leftOutBytes() {
    return leftOutBytes;
  }

  /** How many files and directories were not read, or not to their ends, because that failed. */
  long unreadableFiles() {
    return unreadableFiles;
  }

  ReadSummary summary(List<Path> files, long spans, long duplicates) {
    return new ReadSummary(
        files, spans, duplicates, tornLines, unreadableLines, firstUnreadable.lines());
  }

  private List<Path> find(Path where) throws IOException {
    return find(
        where,
        folder -> {
          unreadableFiles++;
          unreadable(folder);
        });
  }

  /** The files of a directory that are read, sorted, or the file itself. */
  static List<Path> find(Path where, Consumer<UnreadableLine> onUnreadable) throws IOException {
    if (!Files.exists(where)) {
      throw new NoSuchFileException(where.toString());
    }
    if (!Files.isDirectory(where)) {
      return List.of(where);
    }
    // The real path: the directory may be a link, and links are not followed below it.
    Path root = root(where).toRealPath();
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if ((name.endsWith(".jsonl")
                    || name.endsWith(".jsonl.gz")
                    || (name.endsWith(ParquetFormat.SUFFIX) && !isAside(root.relativize(file))))
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
            onUnreadable.accept(new UnreadableLine(file, 0, ReadFailure.reason(e)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            return e == null ? FileVisitResult.CONTINUE : visitFileFailed(folder, e);
          }
        });
    Collections.sort(files);
    return Collections.unmodifiableList(files);
  }

  /** Below which the files of a directory are: those of an output directory have their own. */
  static Path root(Path where) {
    Path traces = where.resolve("traces");
    return Files.isDirectory(traces) ? traces : where;
  }

  private static boolean isAside(Path relative) {
    for (Path part : relative) {
      if (ParquetFormat.isAside(part.toString())) {
        return true;
      }
    }
    return false;
  }

  /** False if the file is no longer there. */
  private boolean readFile(Path file, long from) {
    long lineNumber = 0;
    String time = FileRotation.timeNow();
    try (InputStream in = open(file)) {
      opened.add(file, time);
      if (from > 0) {
        in.skipNBytes(from - 1);
      }
      LineSource lines =
          parsers == null ? LineSource.ofSpans(in) : LineSource.of(new BlocksAhead(in, parsers));
      if (from > 0 && !lines.nextLine()) {
        return true; // otherwise the rest of a line, or just a newline, which the next call skips
      }
      while (true) {
        lineNumber++;
        if (!lines.nextLine()) {
          return true;
        }
        readLine(file, lines);
      }
    } catch (EOFException cutOff) {
      opened.add(file, time);
      torn(file, lineNumber, "the compressed file is cut off"); // no other reports that
    } catch (NoSuchFileException e) {
      opened.addGone(file);
      gone.add(new UnreadableLine(file, lineNumber, ReadFailure.reason(e)));
      return false;
    } catch (IOException e) {
      opened.add(file, time);
      unreadableFiles++;
      unreadable(file, lineNumber, ReadFailure.reason(e));
    }
    return true;
  }

  private void readLine(Path file, LineSource lines) throws IOException {
    try {
      if (!reader.read(lines)) {
        torn(file, lines.lineNumber(), "truncated, and another line follows in it");
      }
    } catch (UnreadableLineException e) {
      // A killed writer leaves the former at the end of the file; its successor turns it into the
      // latter.
      if (lines.endsWithFile() || e.isCutOff()) {
        torn(file, lines.lineNumber(), "truncated");
      } else {
        unreadable(file, lines.lineNumber(), String.valueOf(e.getMessage()));
      }
    }
  }

  private InputStream open(Path file) throws IOException {
    if (file.toString().endsWith(ParquetFormat.SUFFIX)) {
      return ParquetFormat.find().read(file, this::progress);
    }
    InputStream in = new CountedStream(Files.newInputStream(file), this::progress);
    if (!file.toString().endsWith(".gz")) {
      return in;
    }
    try {
      return new GzipStream(in, 64 << 10);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private void torn(Path file, long lineNumber, String reason) {
    tornLines++;
    onTorn.accept(new UnreadableLine(file, lineNumber, reason));
  }

  private void unreadable(Path file, long lineNumber, String reason) {
    unreadable(new UnreadableLine(file, lineNumber, reason));
  }

  /** Counts and reports something that cannot be read. */
  void unreadable(UnreadableLine line) {
    unreadableLines++;
    onUnreadable.accept(line);
    firstUnreadable.add(line);
  }

  private void progress(long bytes) {
    readBytes += bytes;
    progress.read(readBytes, totalBytes);
  }
}
