package io.rollotel.traces.file;

/** The names of a process's files. */
public final class ProcessFileName {

  /** Leaves room for a suffix: an extension, a number and a time. */
  private static final int MOST_BYTES = 200;

  /** The part of a longer name that is kept beside its hash. */
  private static final int KEPT_BYTES = 150;

  private ProcessFileName() {}

  /**
   * Without an extension. File systems do not accept names of more than 255 bytes: a longer one
   * becomes its beginning and a hash, so that different names stay different.
   */
  public static String of(String process) {
    StringBuilder name = new StringBuilder();
    long hash = 0;
    int bytes = 0;
    int kept = 0;
    for (int i = 0; i < process.length(); i++) {
      char c = process.charAt(i);
      name.append(Character.isLetterOrDigit(c) || c == '.' || c == '_' || c == '-' ? c : '-');
      hash = 31 * hash + c;
      bytes += c < 0x80 ? 1 : 3; // in UTF-8, at most
      if (bytes <= KEPT_BYTES) {
        kept = i + 1;
      }
    }
    if (bytes <= MOST_BYTES) {
      return name.toString();
    }
    name.setLength(kept);
    return name.append('-').append(Long.toHexString(hash)).toString();
  }
}
