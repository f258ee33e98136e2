package io.rollotel.traces.file;

import java.io.File;
import java.nio.file.InvalidPathException;
import org.jspecify.annotations.Nullable;

/**
 * Which files this JVM can name. Under {@code LC_ALL=C}, as in a container that sets no locale, it
 * has no bytes for characters beyond ASCII, not even for those of its working directory.
 */
public final class FileNames {

  private FileNames() {}

  /** Why this JVM cannot name a file, and what to do; null if it can. */
  public static @Nullable String refusal(File file) {
    File absolute = file.getAbsoluteFile();
    try {
      absolute.toPath();
      return null;
    } catch (InvalidPathException e) {
      return absolute
          + " has characters that this JVM cannot use in the name of a file (sun.jnu.encoding is "
          + System.getProperty("sun.jnu.encoding")
          + "): set LC_ALL=C.UTF-8, or choose a directory whose path is ASCII";
    }
  }
}
