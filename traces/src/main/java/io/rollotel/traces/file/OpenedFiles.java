package io.rollotel.traces.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files that a reading has opened. While it goes on, writers set files aside and compress them,
 * so the list with which it began has some of them under their former names.
 */
final class OpenedFiles {

  private static final String COMPRESSED = ".gz";

  /** When each was opened for the first time, in the form of the names of files set aside. */
  private final Map<Path, String> times = new HashMap<>();

  /** What distinguishes files, whatever their names are. */
  private final Set<Object> keys = new HashSet<>();

  private final Set<Path> gone = new HashSet<>();

  /** Those that only a later list had. */
  private final List<Path> late = new ArrayList<>();

  /**
   * This file is open, or cannot be opened.
   *
   * @param time a time before that, by {@link FileRotation#timeNow}
   */
  void add(Path file, String time) {
    times.putIfAbsent(file, time);
    Object key = key(file);
    if (key != null) {
      keys.add(key);
    }
  }

  /** This file was no longer there. */
  void addGone(Path file) {
    gone.add(file);
  }

  /** The files of a later list that were set aside and not opened under another name. */
  List<Path> others(List<Path> listed) {
    List<Path> others = new ArrayList<>();
    for (Path file : listed) {
      boolean isMoved = gone.contains(file) || SetAsideName.is(String.valueOf(file.getFileName()));
      if (isMoved && !times.containsKey(file) && !times.containsKey(uncompressed(file))) {
        // A compressed file is another one than it was, and may have the key of a deleted one.
        Object key = isCompressed(file) ? null : key(file);
        boolean isNew = gone.contains(uncompressed(file)) || !wasOpenedBefore(file);
        if (key == null ? isNew : !keys.contains(key)) {
          others.add(file);
        }
      }
    }
    late.addAll(others);
    return others;
  }

  /**
   * Whether it was set aside after it had been opened under its original name. Not in the same
   * millisecond: then it may be the one before, and a file read twice is better than none.
   */
  private boolean wasOpenedBefore(Path file) {
    String name = String.valueOf(file.getFileName());
    String opened = times.get(file.resolveSibling(SetAsideName.original(name)));
    return opened != null && opened.compareTo(SetAsideName.time(name)) < 0;
  }

  /** Whether a file that was no longer there has been opened under the name that it has now. */
  boolean hasMoved(Path file) {
    return times.containsKey(file)
        || times.containsKey(file.resolveSibling(file.getFileName() + COMPRESSED))
        || late.stream().anyMatch(other -> isSetAside(other, file));
  }

  private static boolean isSetAside(Path file, Path original) {
    String name = SetAsideName.original(String.valueOf(file.getFileName()));
    return file.resolveSibling(name).equals(original);
  }

  private static boolean isCompressed(Path file) {
    return file.toString().endsWith(COMPRESSED);
  }

  private static Path uncompressed(Path file) {
    String name = String.valueOf(file.getFileName());
    return isCompressed(file)
        ? file.resolveSibling(name.substring(0, name.length() - COMPRESSED.length()))
        : file;
  }

  /** Null where there are no such keys. */
  private static @Nullable Object key(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException gone) {
      return null;
    }
  }
}
