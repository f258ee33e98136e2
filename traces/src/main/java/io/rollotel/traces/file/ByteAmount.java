package io.rollotel.traces.file;

import java.util.Locale;

/** An amount of memory or disk, as text. */
public final class ByteAmount {

  private ByteAmount() {}

  /**
   * Whole megabytes, rounded up, below a gigabyte, {@code 12 MB}; else one decimal, {@code 1.5 GB}.
   */
  public static String text(long bytes) {
    long megabytes = (bytes + 999_999) / 1_000_000;
    return megabytes < 1_000
        ? megabytes + " MB"
        : String.format(Locale.ROOT, "%,.1f GB", bytes / 1e9);
  }
}
