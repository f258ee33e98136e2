package io.rollotel.traces.file;

/** Told how far a read has come, often; for the reader's thread. */
public interface ReadProgress {

  /**
   * So much is read.
   *
   * @param bytes of the files as they lie on the disk
   * @param ofBytes what the files had together when the read began; 0 if that is not known
   */
  void read(long bytes, long ofBytes);

  /** Reading is complete; called by the reader's caller. */
  default void end() {}
}
