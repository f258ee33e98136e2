package io.rollotel.traces.partition;

import io.rollotel.traces.file.GzipStream;
import io.rollotel.traces.parquet.ParquetFormat;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A file of spans, and its part that is in the cache. Blocks contain its number; if a file is
 * deleted, its blocks stay, but their number is no longer used.
 *
 * <p>Offsets are those of the text, even if the file is compressed.
 */
final class Source {

  private static final int MOST_PROBLEMS = 20;

  /** The facts by which a file is recognised as unchanged. */
  record Look(long size, long modifiedMillis, String fileKey) {}

  /**
   * Complete lines that were read; the number of newlines determines the numbers of later lines.
   */
  record Range(long from, long to, long newlines) {}

  /** A line that was skipped, numbered from the beginning of its range. */
  record Problem(long offset, long line, String reason) {

    Problem behind(long newlines) {
      return new Problem(offset, line + newlines, reason);
    }
  }

  /** A part of the file that a thread has read. */
  static final class Stretch {
    final Source source;
    long from;
    long to;
    long newlines;
    long spans;
    long tornLines;
    long unreadableLines;
    final List<Problem> problems = new ArrayList<>();
    boolean isTornAtEnd;
    @Nullable Problem error;

    Stretch(Source source, long from) {
      this.source = source;
      this.from = from;
      this.to = from;
    }

    void unreadable(long offset, String reason) {
      unreadableLines++;
      if (problems.size() < MOST_PROBLEMS) {
        problems.add(new Problem(offset, newlines + 1, reason));
      }
    }
  }

  final int id;
  Path path;
  boolean isPacked;
  Look look;

  /** Its directory, and its place in the order of all files. */
  int dir;

  int rank;

  /** Whether everything was read that was there at the last check. */
  boolean isFinished;

  // Guarded by this while several threads read.
  private int headLength;
  private long headHash;
  private Tail tail = Tail.NONE;
  private List<Range> ranges = new ArrayList<>();
  private List<Problem> problems = new ArrayList<>();
  private long spans;
  private long tornLines;
  private long unreadableLines;
  private boolean isTornAtEnd;
  private @Nullable Problem error;

  /** Set by the thread that finds the file replaced or deleted. */
  volatile boolean isReplaced;

  Source(int id, Path path, Look look) {
    this.id = id;
    this.path = path;
    this.look = look;
    this.isPacked = isPacked(path);
  }

  /** Whether its lines can only be read from the first one on. */
  static boolean isPacked(Path path) {
    return isGzip(path) || isParquet(path);
  }

  static boolean isGzip(Path path) {
    return path.toString().endsWith(".gz");
  }

  static boolean isParquet(Path path) {
    return path.toString().endsWith(ParquetFormat.SUFFIX);
  }

  /**
   * The lines of a compressed file.
   *
   * @param in the compressed file; closed if this throws
   * @param read receives how many more bytes of a Parquet file were read
   */
  static InputStream unpacked(Path path, InputStream in, int bufferBytes, LongConsumer read)
      throws IOException {
    boolean isOpened = false;
    try {
      InputStream lines =
          isParquet(path) ? ParquetFormat.find().read(path, read) : new GzipStream(in, bufferBytes);
      isOpened = true;
      return lines;
    } finally {
      if (!isOpened || isParquet(path)) {
        in.close();
      }
    }
  }

  /**
   * The result of reading is determined again: how the file ends, and whether the rest can be read.
   */
  void beginRead() {
    isFinished = false;
    isTornAtEnd = false;
    error = null;
  }

  synchronized void add(Stretch stretch) {
    spans += stretch.spans;
    tornLines += stretch.tornLines;
    unreadableLines += stretch.unreadableLines;
    problems.addAll(stretch.problems);
    isTornAtEnd |= stretch.isTornAtEnd;
    if (stretch.error != null) {
      error = stretch.error;
    }
    ranges.add(new Range(stretch.from, stretch.to, stretch.newlines));
    ranges.sort((a, b) -> Long.compare(a.from, b.from));
    List<Range> joined = new ArrayList<>();
    for (Range range : ranges) {
      Range last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last == null || last.to != range.from) {
        joined.add(range);
        continue;
      }
      joined.set(joined.size() - 1, new Range(last.from, range.to, last.newlines + range.newlines));
      problems.replaceAll(
          problem ->
              problem.offset >= range.from && problem.offset < range.to
                  ? problem.behind(last.newlines)
                  : problem);
      Problem stopped = error;
      if (stopped != null && stopped.offset >= range.from && stopped.offset <= range.to) {
        error = stopped.behind(last.newlines);
      }
    }
    joined.removeIf(range -> range.from == range.to);
    ranges = joined;
    problems.sort((a, b) -> Long.compare(a.offset, b.offset));
    if (problems.size() > MOST_PROBLEMS) {
      problems = new ArrayList<>(problems.subList(0, MOST_PROBLEMS));
    }
  }

  /** The unread parts of this many bytes; the newlines of these ranges have no meaning. */
  synchronized List<Range> gaps(long size) {
    List<Range> gaps = new ArrayList<>();
    long from = 0;
    for (Range range : ranges) {
      if (range.from > from) {
        gaps.add(new Range(from, range.from, 0));
      }
      from = range.to;
    }
    if (from < size) {
      gaps.add(new Range(from, size, 0));
    }
    return gaps;
  }

  /** The position after everything read. */
  synchronized long end() {
    return ranges.isEmpty() ? 0 : ranges.get(ranges.size() - 1).to;
  }

  /** Whether all of it was read up to its end, and something was. */
  synchronized boolean isReadFromBegin() {
    return ranges.size() == 1 && ranges.get(0).from == 0;
  }

  /** Whether a file that begins with these bytes can be this one; if so, it counts as this one. */
  synchronized boolean takesHead(Head head) {
    if (!head.beginsAs(headLength, headHash)) {
      return false;
    }
    headLength = head.length();
    headHash = head.hash(headLength);
    return true;
  }

  synchronized boolean hasHead(Head head) {
    return headLength > 0 && head.beginsAs(headLength, headHash);
  }

  /** Whether the file has the bytes that were last read of it. */
  synchronized boolean hasTail(FileChannel channel) throws IOException {
    return tail.isIn(channel);
  }

  /** Remembers the last bytes that were read, so that another file is not taken for this one. */
  synchronized void noteTail() {
    if (isPacked || isReplaced || look.size == FoundFiles.NO_FILE || tail.end() == end()) {
      return;
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      tail = Tail.of(channel, end());
    } catch (IOException gone) {
      tail = Tail.NONE;
    }
  }

  synchronized boolean hasFailed() {
    return error != null;
  }

  synchronized long spans() {
    return spans;
  }

  long tornLines() {
    return tornLines + (isTornAtEnd ? 1 : 0);
  }

  long unreadableLines() {
    return unreadableLines + (error == null ? 0 : 1);
  }

  /** The first of them, by their lines. */
  List<Problem> problems() {
    List<Problem> all = new ArrayList<>(problems);
    if (error != null) {
      all.add(error);
    }
    return all;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(id);
    out.writeInt(rank);
    out.writeUTF(path.toString());
    out.writeLong(look.size);
    out.writeLong(look.modifiedMillis);
    out.writeUTF(look.fileKey);
    out.writeBoolean(isFinished);
    out.writeInt(headLength);
    out.writeLong(headHash);
    out.writeLong(tail.from());
    out.writeInt(tail.length());
    out.writeLong(tail.hash());
    out.writeInt(ranges.size());
    for (Range range : ranges) {
      out.writeLong(range.from);
      out.writeLong(range.to);
      out.writeLong(range.newlines);
    }
    out.writeLong(spans);
    out.writeLong(tornLines);
    out.writeLong(unreadableLines);
    out.writeBoolean(isTornAtEnd);
    out.writeInt(problems.size());
    for (Problem problem : problems) {
      write(out, problem);
    }
    out.writeBoolean(error != null);
    if (error != null) {
      write(out, error);
    }
  }

  private static void write(DataOutputStream out, Problem problem) throws IOException {
    out.writeLong(problem.offset);
    out.writeLong(problem.line);
    String reason = problem.reason;
    out.writeUTF(reason.length() > 1000 ? reason.substring(0, 1000) : reason);
  }

  static Source read(DataInputStream in) throws IOException {
    int id = in.readInt();
    int rank = in.readInt();
    Path path = Path.of(in.readUTF());
    Source source = new Source(id, path, new Look(in.readLong(), in.readLong(), in.readUTF()));
    source.rank = rank;
    source.isFinished = in.readBoolean();
    source.headLength = in.readInt();
    source.headHash = in.readLong();
    source.tail = new Tail(in.readLong(), in.readInt(), in.readLong());
    for (int i = in.readInt(); i > 0; i--) {
      source.ranges.add(new Range(in.readLong(), in.readLong(), in.readLong()));
    }
    source.spans = in.readLong();
    source.tornLines = in.readLong();
    source.unreadableLines = in.readLong();
    source.isTornAtEnd = in.readBoolean();
    for (int i = in.readInt(); i > 0; i--) {
      source.problems.add(problem(in));
    }
    if (in.readBoolean()) {
      source.error = problem(in);
    }
    return source;
  }

  private static Problem problem(DataInputStream in) throws IOException {
    return new Problem(in.readLong(), in.readLong(), in.readUTF());
  }
}
