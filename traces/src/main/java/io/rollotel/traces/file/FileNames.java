package io.rollotel.traces.file;

import java.io.File;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * Which files this JVM can name. Under {@code LC_ALL=C}, as in a container that sets no locale, it
 * has no bytes for characters beyond ASCII, not even for those of its working directory.
 *
 * <p>Asks no {@code java.nio.file}, because premain must not be the first to use that.
 */
public final class FileNames {

  private static final String ENCODING = "sun.jnu.encoding";

  private FileNames() {}

  /** Why this JVM cannot name a file, and what to do; null if it can. */
  public static @Nullable String refusal(File file) {
    String path = file.getAbsolutePath();
    String encoding = System.getProperty(ENCODING);
    boolean isWindows = File.separatorChar == '\\'; // whose names are in Unicode
    if (path.indexOf('\0') < 0 && (isWindows || canEncode(path, encoding))) {
      return null;
    }
    return path
        + " has characters that this JVM cannot use in the name of a file ("
        + ENCODING
        + " is "
        + encoding
        + "): set LC_ALL=C.UTF-8, or choose a directory whose path is ASCII";
  }

  private static boolean canEncode(String path, @Nullable String encoding) {
    try {
      return encoding == null || Charset.forName(encoding).newEncoder().canEncode(path);
    } catch (IllegalArgumentException unknown) {
      return true;
    }
  }
}
