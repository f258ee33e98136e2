package io.rollotel.traces.file;

/** What files of a process are called. */
public final class ProcessFileName {

  /** With room for an ending, a number and a time behind it. */
  private static final int MOST_BYTES = 200;

  /** Of a longer name, beside its hash. */
  private static final int KEPT_BYTES = 150;

  private ProcessFileName() {}

  /**
   * Without an ending. No file system takes a name of more than 255 bytes: of a longer one its
   * beginning and a hash of all, so that two stay two.
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
