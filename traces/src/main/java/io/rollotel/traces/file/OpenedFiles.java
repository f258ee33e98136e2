package io.rollotel.traces.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files that a reading has opened. While it goes on, writers set files aside and compress them,
 * so the list with which it began has some of them under their former names.
 */
final class OpenedFiles {

  private static final String COMPRESSED = ".gz";

  private final Set<Path> paths = new HashSet<>();

  /** What distinguishes files, whatever their names are. */
  private final Set<Object> keys = new HashSet<>();

  private final Set<Path> gone = new HashSet<>();

  /** Those that only a later list had. */
  private final List<Path> late = new ArrayList<>();

  /** This file is open, or cannot be opened. */
  void add(Path file) {
    paths.add(file);
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
      if (isMoved && !paths.contains(file) && !paths.contains(uncompressed(file))) {
        Object key = key(file);
        if (key == null || !keys.contains(key)) {
          others.add(file);
        }
      }
    }
    late.addAll(others);
    return others;
  }

  /** Whether a file that was no longer there has been opened under the name that it has now. */
  boolean hasMoved(Path file) {
    return paths.contains(file)
        || paths.contains(file.resolveSibling(file.getFileName() + COMPRESSED))
        || late.stream().anyMatch(other -> isSetAside(other, file));
  }

  private static boolean isSetAside(Path file, Path original) {
    String name = SetAsideName.original(String.valueOf(file.getFileName()));
    return file.resolveSibling(name).equals(original);
  }

  private static Path uncompressed(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(COMPRESSED)
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
