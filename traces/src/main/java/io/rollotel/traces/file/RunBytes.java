package io.rollotel.traces.file;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes a run may still add to the files of its directory: traces, metrics and logs, of
 * all processes together. Files of earlier runs do not count. Any thread, except threads of the
 * application: a check lists the directory.
 */
public final class RunBytes {

  /** Thrown for a line that exceeds the limit. */
  public static final class SpentException extends IOException {
    private static final long serialVersionUID = 1L;

    SpentException(String message) {
      super(message);
    }
  }

  /**
   * The terms that all processes of a run must agree on.
   *
   * @param startBytes the size of the directory when the run began
   * @param given the limit that the user set, 0 for none; null for half of the free space, which is
   *     checked repeatedly, since others fill the disk and free space on it
   */
  public record Terms(long startBytes, @Nullable Long given) {

    /** Any amount. */
    static final Terms UNLIMITED = new Terms(0, 0L);

    boolean isUnlimited() {
      return given != null && given == 0;
    }
  }

  /** For files that no run writes. */
  public static final RunBytes UNLIMITED = ofRun(new File(""), Terms.UNLIMITED);

  private static final String[] FOLDERS = {
    "traces", "traces/" + WaitingFile.REFUSED, "metrics", "logs"
  };

  /** This part of the space that would be free without the run is left to others: 1 GiB at most. */
  private static final int FREE_SHARE = 16;

  private static final long MOST_LEFT_FREE = 1L << 30;

  /**
   * A file system without a limit, such as Amazon EFS, tells nearly the largest number that there
   * is, to which nothing could be added.
   */
  private static final long MOST_FREE = 1L << 60;

  /**
   * The last part of the limit, reserved for data that other processes write between two checks.
   */
  private static final int RESERVE_SHARE = 256;

  /** The share of the remaining limit that waiting spans may not use. */
  private static final int WAITING_SHARE = 8;

  /** From here on, checks are more frequent. */
  private static final int NEAR_SHARE = 4;

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NEAR_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Checks take at most this share of the time, however many files there are. */
  private static final int LOOK_SHARE = 50;

  /** One in 16 million: no more thinning is possible. */
  private static final int MOST_HALVINGS = 24;

  private final File outputDir;
  private final LongSupplier freeBytes;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private Terms terms;
  private final Pace files = new Pace();
  private final Pace disk = new Pace();

  /** The bytes added since the run began, by the files' sizes. */
  private long writtenBytes;

  /** Taken since then. */
  private long takenBytes;

  /** The free space at the time of the check; 0 if unknown. */
  private long ofDiskBytes;

  /** The size of the last line if it did not fit. */
  private long refusedBytes;

  RunBytes(File outputDir, Terms terms, LongSupplier freeBytes, LongSupplier nanoTime) {
    this.outputDir = outputDir;
    this.terms = terms;
    this.freeBytes = freeBytes;
    this.nanoTime = nanoTime;
  }

  /** Of a run in a directory. */
  public static RunBytes ofRun(File outputDir, Terms terms) {
    return new RunBytes(outputDir, terms, new FreeOnDisk(outputDir), new SystemClock());
  }

  /**
   * The terms of a run that begins now. Lists the directory.
   *
   * @param given as in {@link Terms}
   */
  public static Terms begin(File outputDir, @Nullable Long given) {
    return given != null && given == 0 ? Terms.UNLIMITED : new Terms(sizeBytes(outputDir), given);
  }

  /** The time of a check, and its duration. */
  private static final class Pace {

    private boolean hasLooked;
    private long lookedNanos;
    private long tookNanos;

    boolean isDue(long nowNanos, long afterNanos) {
      return !hasLooked || nowNanos - lookedNanos >= Math.max(afterNanos, LOOK_SHARE * tookNanos);
    }

    void looked(long fromNanos, long toNanos) {
      hasLooked = true;
      lookedNanos = toNanos;
      tookNanos = toNanos - fromNanos;
    }
  }

  // Not lambdas: a JVM's first lambda takes milliseconds, and a traced call may wait for this.

  static final class SystemClock implements LongSupplier {
    @Override
    public long getAsLong() {
      return System.nanoTime();
    }
  }

  /** The free space at a directory that exists or will be created; 0 if unknown. */
  private static final class FreeOnDisk implements LongSupplier {

    private final File directory;

    FreeOnDisk(File directory) {
      this.directory = directory;
    }

    @Override
    public long getAsLong() {
      try {
        File there = directory.getAbsoluteFile();
        while (there != null && !there.exists()) {
          there = there.getParentFile();
        }
        return there == null ? 0 : there.getUsableSpace();
      } catch (SecurityException forbidden) {
        return 0;
      }
    }
  }

  /** The terms that the run's processes have agreed on, as known to this one. */
  public synchronized Terms terms() {
    return terms;
  }

  /** Adopts the terms of another driver, or new ones of the same driver. */
  public synchronized void follow(Terms others) {
    // Does not use the record's equals: if its first use finds the heap full, no record of this JVM
    // could be compared any more, including the application's.
    if (others.startBytes() != terms.startBytes()
        || !Objects.equals(others.given(), terms.given())) {
      terms = others;
      files.hasLooked = false;
    }
  }

  /** How much the run may write in total, by the last check; 0 for any amount. */
  public synchronized long limitBytes() {
    Long given = terms.given();
    if (ofDiskBytes == 0) { // without the free space, half of it cannot be computed
      return given == null ? 0 : given;
    }
    // The free space plus the run's files: writing does not change this sum.
    long all = writtenBytes + ofDiskBytes;
    return given == null
        ? all / 2
        : Math.min(given, all - Math.min(all / FREE_SHARE, MOST_LEFT_FREE));
  }

  /**
   * How often to halve the share of sampled traces: by one in two when half of the limit is used
   * up, and by one in two more whenever the rest has shrunk to 1/√2. So the files grow ever more
   * slowly, and a run of more than a hundred times the data of the first half still fits.
   *
   * @param waitingBytes data on its way to the files
   */
  public synchronized int halvings(long waitingBytes) {
    if (terms.isUnlimited()) {
      return 0;
    }
    lookAfter(LOOK_NANOS);
    long limit = limitBytes();
    if (limit == 0) {
      return 0;
    }
    long left = leftBytes(limit);
    // Waiting data is an estimate: it increases thinning, but does not stop writing.
    return halvings(left - Math.min(waitingBytes, left - left / WAITING_SHARE), limit);
  }

  static int halvings(long leftBytes, long limitBytes) {
    if (leftBytes > limitBytes / 2) {
      return 0;
    }
    double times = (double) limitBytes / Math.max(1, leftBytes);
    return Math.min(MOST_HALVINGS, (int) (2 * Math.log(times) / Math.log(2) + 1e-9) - 1);
  }

  /** Whether nothing more may be written, according to the last check. */
  public synchronized boolean isSpent() {
    long limit = limitBytes();
    return files.hasLooked
        && limit != 0
        && leftBytes(limit) - refusedBytes <= limit / RESERVE_SHARE;
  }

  /**
   * Reserves space for the next write.
   *
   * @throws SpentException if it does not fit
   */
  public synchronized void take(long bytes) throws SpentException {
    if (terms.isUnlimited()) {
      return;
    }
    long known = limitBytes();
    boolean isNear = leftBytes(known) - bytes < known / NEAR_SHARE;
    lookAfter(isNear ? NEAR_LOOK_NANOS : LOOK_NANOS);
    long limit = limitBytes();
    if (limit != 0 && leftBytes(limit) - bytes < limit / RESERVE_SHARE) {
      refusedBytes = bytes;
      throw new SpentException(toString());
    }
    refusedBytes = 0;
    takenBytes += bytes;
  }

  private long leftBytes(long limit) {
    return limit - writtenBytes - takenBytes;
  }

  /**
   * Checking the disk takes less time than listing a directory of many files, and others may fill
   * the disk.
   */
  private void lookAfter(long nanos) {
    long beganNanos = nanoTime.getAsLong();
    if (files.isDue(beganNanos, nanos)) {
      writtenBytes = Math.max(0, sizeBytes(outputDir) - terms.startBytes());
      takenBytes = 0;
      refusedBytes = 0; // the line that did not fit may fit now
      files.looked(beganNanos, nanoTime.getAsLong());
    }
    long listedNanos = nanoTime.getAsLong();
    if (disk.isDue(listedNanos, nanos)) {
      long free = freeBytes.getAsLong();
      ofDiskBytes = free <= 0 ? 0 : Math.min(free, MOST_FREE) + takenBytes;
      disk.looked(listedNanos, nanoTime.getAsLong());
    }
  }

  /** The size of the directory, including compressed files and those being compressed. */
  static long sizeBytes(File outputDir) {
    long bytes = 0;
    for (String folder : FOLDERS) {
      try {
        File[] files = new File(outputDir, folder).listFiles();
        for (File file : files == null ? new File[0] : files) {
          bytes += file.getName().contains(".jsonl") ? file.length() : 0;
        }
      } catch (SecurityException forbidden) {
        // It must not be written either.
      }
    }
    return bytes;
  }

  /** The message for the user when it is used up. */
  @Override
  public synchronized String toString() {
    Long given = terms.given();
    long limit = limitBytes();
    if (given != null && limit == given) {
      return String.format(
          Locale.ROOT,
          "the limit of a run's files in %s, %s, is reached (ROLL_OTEL_RUN_BYTES)",
          outputDir,
          size(limit));
    }
    return String.format(
        Locale.ROOT,
        "the run has reached its size limit: the disk of %s has %s left, and its files take %s"
            + " (ROLL_OTEL_RUN_BYTES)",
        outputDir,
        size(ofDiskBytes),
        size(writtenBytes + takenBytes));
  }

  /** {@code 1.5 GiB}. */
  public static String size(long bytes) {
    String units = "KMGTP";
    double size = bytes;
    int unit = -1;
    while (size >= 1024 && unit < units.length() - 1) {
      size /= 1024;
      unit++;
    }
    return unit < 0
        ? bytes + " B"
        : String.format(Locale.ROOT, "%.1f %siB", size, units.charAt(unit));
  }
}
