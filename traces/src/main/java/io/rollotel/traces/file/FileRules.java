package io.rollotel.traces.file;

/**
 * How a file is written.
 *
 * @param maxBytes the size in bytes at which a file is set aside and a new one begun; 0 for any
 *     size
 * @param maxLines the same in lines; 0 for any
 * @param isGzip whether a file that is set aside is compressed, in the background
 * @param isFsync whether a line must be on the disk, not only in the operating system, before it is
 *     acknowledged: protects against power cuts, but is slow
 * @param runBytes how much all files of its run may take
 */
public record FileRules(
    long maxBytes, long maxLines, boolean isGzip, boolean isFsync, RunBytes runBytes) {

  /** 256 MiB, no compression, no fsync. */
  public static final FileRules DEFAULT = new FileRules(256L << 20, 0, false, false);

  /** For a file that belongs to no run. */
  public FileRules(long maxBytes, long maxLines, boolean isGzip, boolean isFsync) {
    this(maxBytes, maxLines, isGzip, isFsync, RunBytes.UNLIMITED);
  }

  /** The same for a file of a run. */
  public FileRules within(RunBytes ofRun) {
    return new FileRules(maxBytes, maxLines, isGzip, isFsync, ofRun);
  }
}
