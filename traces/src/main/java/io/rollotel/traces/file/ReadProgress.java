package io.rollotel.traces.file;

/** Receives the progress of a read, frequently, on the reader's thread. */
public interface ReadProgress {

  /**
   * Reports progress.
   *
   * @param bytes of the files, as stored on the disk
   * @param ofBytes the total size of the files when the read began; 0 if unknown
   */
  void read(long bytes, long ofBytes);

  /** Reading is complete; called by the reader's caller. */
  default void end() {}
}
