package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The notes of which runs the files of an output directory name, {@code traces/.runs}: a file is
 * searched once, and later only its new part. For one thread.
 */
final class RunNotes {

  private static final String NAME = ".runs";

  /** After that, no run will still begin to write about what a file belongs to. */
  private static final long DAY_MILLIS = 24 * 60 * 60 * 1000L;

  /** The number of first bytes that identify a file that has grown. */
  private static final int HEAD_BYTES = 4 << 10;

  /** The overlap between two searches: the last line may have been incomplete. */
  private static final int OVERLAP_BYTES = 4 << 10;

  /**
   * The result of a search.
   *
   * @param headSum the checksum of the first bytes, {@link #HEAD_BYTES} at most
   */
  private record Note(long bytes, long modifiedMillis, long headSum, NamedRuns runs) {

    /** In notes of earlier versions, a run has this place. */
    private static final String BEFORE_START = "@";

    static @Nullable Note read(String text) {
      String[] parts = text.split("\t", -1);
      try {
        Set<String> runs = new TreeSet<>();
        if (!parts[3].startsWith(BEFORE_START)) {
          return null;
        }
        long firstStartNanos = Long.parseLong(parts[3].substring(BEFORE_START.length()));
        for (int i = 4; i < parts.length; i++) {
          runs.add(parts[i].translateEscapes());
        }
        return new Note(
            Long.parseLong(parts[0]),
            Long.parseLong(parts[1]),
            Long.parseLong(parts[2]),
            new NamedRuns(runs, firstStartNanos));
      } catch (IllegalArgumentException | IndexOutOfBoundsException ofAnotherVersion) {
        return null;
      }
    }

    @Override
    public String toString() {
      List<String> parts = new ArrayList<>();
      parts.add(Long.toString(bytes));
      parts.add(Long.toString(modifiedMillis));
      parts.add(Long.toString(headSum));
      parts.add(BEFORE_START + runs.firstStartNanos());
      for (String run : runs.ids()) {
        parts.add(
            run.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r"));
      }
      return String.join("\t", parts);
    }
  }

  /** Searches a file from a place on. */
  interface Search {
    NamedRuns runs(Path file, long fromBytes) throws IOException;
  }

  private final Path outputDir;
  private final Path file;
  private final Map<String, Note> before = new HashMap<>();
  private final Map<String, Note> now = new HashMap<>();

  /** Notes of another user could cause the deletion of needed files, so they are ignored. */
  RunNotes(Path outputDir) {
    this.outputDir = outputDir;
    file = outputDir.resolve("traces").resolve(NAME);
    try {
      if (SharedFolder.doubt(file) == null) {
        for (String line : Files.readAllLines(file, UTF_8)) {
          int tab = line.indexOf('\t');
          Note note = tab > 0 ? Note.read(line.substring(tab + 1)) : null;
          if (note != null) {
            before.put(line.substring(0, tab), note);
          }
        }
      }
    } catch (IOException | RuntimeException none) {
      before.clear();
    }
  }

  /**
   * What a file says about runs.
   *
   * @param isAppended whether its writer only appends to it
   */
  NamedRuns runs(Path path, BasicFileAttributes found, boolean isAppended, Search search)
      throws IOException {
    String name = outputDir.relativize(path).toString();
    long modifiedMillis = found.lastModifiedTime().toMillis();
    Note known = before.get(name);
    NamedRuns runs;
    if (known != null && known.bytes == found.size() && known.modifiedMillis == modifiedMillis) {
      runs = known.runs;
    } else if (known != null
        && isAppended
        && known.bytes <= found.size()
        && known.headSum == headSum(path, known.bytes)) {
      runs = known.runs.plus(search.runs(path, Math.max(0, known.bytes - OVERLAP_BYTES)));
    } else {
      runs = search.runs(path, 0);
    }
    if (runs.ids().isEmpty()
        && name.endsWith(".jfr")
        && System.currentTimeMillis() - modifiedMillis < DAY_MILLIS) {
      return runs; // not noted: the lines of its run may come later
    }
    long headSum = isAppended ? headSum(path, found.size()) : 0;
    now.put(name, new Note(found.size(), modifiedMillis, headSum, runs));
    return runs;
  }

  private static long headSum(Path path, long bytes) throws IOException {
    CRC32 sum = new CRC32();
    try (InputStream in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
      sum.update(in.readNBytes((int) Math.min(bytes, HEAD_BYTES)));
    }
    return sum.getValue();
  }

  void write() {
    if (now.equals(before)) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    now.forEach((name, note) -> lines.append(name).append('\t').append(note).append('\n'));
    Path written = file.resolveSibling(NAME + "." + ProcessHandle.current().pid());
    try {
      try (OutputStream out = SharedFolder.replace(written)) {
        out.write(lines.toString().getBytes(UTF_8));
      }
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException unwritten) {
      written.toFile().delete(); // the files are searched again next time
    }
  }
}
