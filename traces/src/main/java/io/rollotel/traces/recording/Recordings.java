package io.rollotel.traces.recording;

import io.rollotel.traces.otlp.ReadFailure;
import io.rollotel.traces.otlp.UnreadableLine;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The recorder files below an output directory, {@code open/*.rec}, and the remains of dead
 * processes' files after a sweep, {@code open/*.dead}.
 */
public final class Recordings {

  /** The directory within an output directory. */
  public static final String FOLDER = "open";

  /** The extension of a process's file. */
  public static final String LIVE = ".rec";

  /**
   * The extension after its ended spans were moved into the traces file, if some are open or were
   * dropped.
   */
  public static final String SWEPT = ".dead";

  /** The extension of a file that will replace another. */
  static final String UNFINISHED = ".tmp";

  /** Closing any channel to one of these files would release this process's lock on it. */
  private static final Set<File> OWN = ConcurrentHashMap.newKeySet();

  private final List<Recording> all = new ArrayList<>();
  private final List<UnreadableLine> unreadable = new ArrayList<>();

  Recordings() {}

  /** This process writes that file from now on: it is not read here. */
  public static void setOwn(File file) {
    OWN.add(file.getAbsoluteFile());
  }

  /** This process no longer writes that file. */
  public static void unsetOwn(File file) {
    OWN.remove(file.getAbsoluteFile());
  }

  /**
   * Reduces a dead process's file to its open spans: ended ones are in the traces. At any moment,
   * either the old or the new file exists.
   *
   * @throws IOException if it cannot be written
   */
  public static void compact(Path file) throws IOException {
    replace(file.toFile(), RecordingReader.compact(file));
  }

  /**
   * Replaces a process's own file by its smaller contents. If the system does not release a mapped
   * file, it is left unchanged.
   *
   * @param mapped the file
   * @throws IOException if it cannot be written
   */
  public static void compact(File file, ByteBuffer mapped) throws IOException {
    replace(file, RecordingReader.compact(mapped, true));
  }

  private static void replace(File file, byte[] bytes) throws IOException {
    File written = new File(file.getParentFile(), file.getName() + UNFINISHED);
    written.delete();
    if (!written.createNewFile()) { // not through a link of another user
      throw new IOException(written + " already exists");
    }
    try (FileOutputStream out = new FileOutputStream(written)) {
      out.write(bytes);
    }
    if (!written.renameTo(file)) {
      written.delete();
    }
  }

  /**
   * Reads all files below an output directory; none if it has none. Files may appear and disappear.
   */
  public static Recordings read(Path outputDir) {
    Recordings found = new Recordings();
    Path folder = outputDir.resolve(FOLDER);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      found.add(folder, entries);
    } catch (NoSuchFileException | NotDirectoryException none) {
      return found;
    } catch (IOException e) {
      found.unreadable.add(new UnreadableLine(folder, 0, ReadFailure.reason(e)));
    }
    return found;
  }

  void add(Path folder, Iterable<Path> entries) {
    List<Path> files = new ArrayList<>();
    try {
      entries.forEach(files::add);
    } catch (DirectoryIteratorException e) { // as a file system of another host may fail
      unreadable.add(
          new UnreadableLine(folder, 0, ReadFailure.reason(Objects.requireNonNull(e.getCause()))));
    }
    Collections.sort(files);
    for (Path file : files) {
      String name = file.getFileName().toString();
      if ((name.endsWith(LIVE) || name.endsWith(SWEPT)) && !isOwn(file)) {
        add(file);
      }
    }
  }

  static boolean isSwept(Path file) {
    return file.toString().endsWith(SWEPT);
  }

  static boolean isOwn(Path file) {
    return OWN.contains(file.toFile().getAbsoluteFile());
  }

  private void add(Path file) {
    try {
      @Nullable Recording recording = RecordingReader.read(file);
      if (recording != null) {
        all.add(recording);
      }
    } catch (IOException | RuntimeException e) {
      if (Files.exists(file)) {
        String reason =
            e instanceof FileSystemException system
                ? ReadFailure.reason(system)
                : String.valueOf(e.getMessage());
        unreadable.add(new UnreadableLine(file, 0, reason));
      }
    }
  }

  /** What was read, by the files' names. */
  public List<Recording> all() {
    return Collections.unmodifiableList(all);
  }

  /** The files that could not be read; the directory itself if it cannot be listed. */
  public List<UnreadableLine> unreadable() {
    return Collections.unmodifiableList(unreadable);
  }

  /** The same without the directory itself, for one who has looked through it for other files. */
  public List<UnreadableLine> unreadableFiles() {
    return unreadable.stream().filter(line -> !line.file().endsWith(FOLDER)).toList();
  }
}
