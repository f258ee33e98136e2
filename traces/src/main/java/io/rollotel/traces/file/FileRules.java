package io.rollotel.traces.file;

/**
 * How a file is written.
 *
 * @param maxBytes the size that a file may reach before it is set aside and another begun, in
 *     bytes; 0 for any
 * @param maxLines the same in lines; 0 for any
 * @param isGzip whether a file that is set aside is compressed, in the background
 * @param isFsync whether a line has to be on the disk, not only with the operating system, before
 *     it is acknowledged: for those who fear power cuts; slow
 * @param runBytes what all files of its run may take
 */
public record FileRules(
    long maxBytes, long maxLines, boolean isGzip, boolean isFsync, RunBytes runBytes) {

  /** 256 MiB, no compression, no fsync. */
  public static final FileRules DEFAULT = new FileRules(256L << 20, 0, false, false);

  /** Of a file that belongs to no run. */
  public FileRules(long maxBytes, long maxLines, boolean isGzip, boolean isFsync) {
    this(maxBytes, maxLines, isGzip, isFsync, RunBytes.UNLIMITED);
  }

  /** The same for a file of a run. */
  public FileRules within(RunBytes ofRun) {
    return new FileRules(maxBytes, maxLines, isGzip, isFsync, ofRun);
  }
}
