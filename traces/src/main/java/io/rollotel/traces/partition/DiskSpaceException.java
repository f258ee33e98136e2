package io.rollotel.traces.partition;

import io.rollotel.traces.file.ByteAmount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Thrown if the disk has too little room for the cache. The data read so far stays in the cache.
 */
public final class DiskSpaceException extends IOException {

  private static final long serialVersionUID = 1L;

  DiskSpaceException(Path dir, long neededBytes, long freeBytes) {
    super(
        String.format(
            Locale.ROOT,
            "Reading needs about %s of disk for a cache in %s, and %s are free: make room, or choose"
                + " a directory on another disk with --cache DIR.",
            ByteAmount.text(neededBytes),
            dir,
            ByteAmount.text(freeBytes)));
  }

  /** The message for the user before much disk space is used. */
  static String announcement(Path dir, long neededBytes) {
    return "The spans go into files in "
        + dir
        + ", which take about "
        + ByteAmount.text(neededBytes)
        + ".";
  }
}
