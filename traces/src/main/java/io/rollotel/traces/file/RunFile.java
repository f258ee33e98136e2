package io.rollotel.traces.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file of an output directory, and the runs that it belongs to.
 *
 * @param bytes its size at the time of the check
 * @param key distinguishes it from another file with its name; null if the file system has no such
 *     keys
 * @param named the runs that it names, and when the first of its spans started
 * @param isWritten whether it is being written, or was recently: then it is kept
 */
record RunFile(
    Path path,
    long bytes,
    long modifiedMillis,
    @Nullable Object key,
    NamedRuns named,
    boolean isWritten) {

  static RunFile of(Path path, BasicFileAttributes found, NamedRuns named, boolean isWritten) {
    return new RunFile(
        path, found.size(), found.lastModifiedTime().toMillis(), found.fileKey(), named, isWritten);
  }

  Set<String> runs() {
    return named.ids();
  }

  /** Whether the file at a path is this one, unchanged since the check. */
  boolean isSameAs(Path there) {
    try {
      BasicFileAttributes now =
          Files.readAttributes(there, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return now.isRegularFile()
          && now.size() == bytes
          && now.lastModifiedTime().toMillis() == modifiedMillis
          && Objects.equals(now.fileKey(), key);
    } catch (IOException gone) {
      return false;
    }
  }
}
