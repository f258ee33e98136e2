package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The profiles that a run's processes have recorded on this host: files of Flight Recorder, one per
 * chunk. A live process still writes to its last one.
 */
final class HostProfiles {

  private static final String ENDING = ".jfr";

  /**
   * In the header: how many bytes can be read. Only a chunk's header shows where complete data
   * ends.
   */
  private static final int SIZE_AT = 8;

  private static final int HEADER_BYTES = 68;

  private static final int BUFFER_BYTES = 64 << 10;

  /**
   * How many bytes are searched, the newest files first. A directory may contain the profiles of
   * many earlier runs, and the driver waits for only a few seconds.
   */
  static final long MOST_SEARCHED_BYTES = 512L << 20;

  private HostProfiles() {}

  /**
   * Those of a run, the smallest first. Each chunk has the run's id in the events of the agent's
   * clock, where Flight Recorder writes each ASCII character as one byte.
   */
  static List<Path> ofRun(Path folder, String runId) throws IOException {
    return ofRun(folder, runId, MOST_SEARCHED_BYTES);
  }

  static List<Path> ofRun(Path folder, String runId, long mostSearchedBytes) throws IOException {
    List<Path> found = new ArrayList<>();
    long room = mostSearchedBytes;
    for (Path file : newestFirst(folder)) {
      room -= file.toFile().length();
      if (room < 0) {
        break;
      }
      if (contains(file, runId)) {
        found.add(file);
      }
    }
    return HostFiles.smallestFirst(found);
  }

  private static List<Path> newestFirst(Path folder) throws IOException {
    record Dated(Path file, long millis) {}
    List<Dated> all = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, '*' + ENDING)) {
        for (Path file : files) {
          if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            all.add(
                new Dated(
                    file,
                    file.toFile().lastModified())); // read once, because it may grow meanwhile
          }
        }
      }
    }
    all.sort(Comparator.comparingLong(Dated::millis).reversed());
    return all.stream().map(Dated::file).toList();
  }

  static boolean isProfile(Path file) {
    return file.toString().endsWith(ENDING);
  }

  /** How much of a file can be read, by its header. The stream returns to its start. */
  static long length(InputStream markable) throws IOException {
    markable.mark(HEADER_BYTES);
    byte[] header = markable.readNBytes(HEADER_BYTES);
    markable.reset();
    return header.length < HEADER_BYTES ? 0 : Math.max(0, ByteBuffer.wrap(header).getLong(SIZE_AT));
  }

  private static boolean contains(Path file, String text) {
    try (InputStream in = Files.newInputStream(file)) {
      String end = "";
      for (byte[] read = in.readNBytes(BUFFER_BYTES);
          read.length > 0;
          read = in.readNBytes(BUFFER_BYTES)) {
        String part = end + new String(read, ISO_8859_1);
        if (part.contains(text)) {
          return true;
        }
        end = part.substring(Math.max(0, part.length() - text.length()));
      }
      return false;
    } catch (IOException gone) {
      return false;
    }
  }
}
