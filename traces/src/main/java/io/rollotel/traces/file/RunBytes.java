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
 * all processes together. What lies there from runs before does not count. Any thread, but none
 * that runs the application's code: a look lists the directory.
 */
public final class RunBytes {

  /** Thrown for a line that does not fit any more. */
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
   * @param given the limit that the user set, 0 for none; null for half of what is free, which is
   *     looked at again and again, since others fill the disk and make room on it
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

  /** Of what would be free without the run, this part is left to others: 1 GiB at most. */
  private static final int FREE_SHARE = 16;

  private static final long MOST_LEFT_FREE = 1L << 30;

  /** The last part of the limit, for what other processes write between two looks. */
  private static final int RESERVE_SHARE = 256;

  /** The share of the remaining limit that waiting spans may not use. */
  private static final int WAITING_SHARE = 8;

  /** From here on looks are more frequent. */
  private static final int NEAR_SHARE = 4;

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NEAR_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A look takes so small a part of the time, however many files there are. */
  private static final int LOOK_SHARE = 50;

  /** One in 16 million: there is nothing left to thin out. */
  private static final int MOST_HALVINGS = 24;

  private final File outputDir;
  private final LongSupplier freeBytes;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private Terms terms;
  private final Pace files = new Pace();
  private final Pace disk = new Pace();

  /** As the files' sizes say, since the run began. */
  private long writtenBytes;

  /** Taken since then. */
  private long takenBytes;

  /** Free when the files were looked at; 0 if the file system does not say. */
  private long ofDiskBytes;

  /** Of the last line, if it did not fit. */
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

  /** When something was looked at, and how long that took. */
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

  // Neither is a lambda: the first of a JVM takes milliseconds, and a traced call may wait for
  // this.

  private static final class SystemClock implements LongSupplier {
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
    // Not by the record's equals: should its first use find the heap full, no record of this JVM
    // could be compared any more, the application's included.
    if (others.startBytes() != terms.startBytes()
        || !Objects.equals(others.given(), terms.given())) {
      terms = others;
      files.hasLooked = false;
    }
  }

  /** How much the run may write in all, as the last look says; 0 for any amount. */
  public synchronized long limitBytes() {
    Long given = terms.given();
    if (ofDiskBytes == 0) { // without the free space, half of it cannot be computed
      return given == null ? 0 : given;
    }
    // What is free, and what the run has of it already: writing does not change that.
    long all = writtenBytes + ofDiskBytes;
    return given == null
        ? all / 2
        : Math.min(given, all - Math.min(all / FREE_SHARE, MOST_LEFT_FREE));
  }

  /**
   * How often to halve the share of sampled traces: by one in two when half of the limit is used
   * up, and by one in two more whenever the rest has shrunk to 1/√2. So the files grow ever more
   * slowly, and a run of more than a hundred times what fills the first half still fits.
   *
   * @param waitingBytes what is on its way to the files besides
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
    // What waits is an estimate: it thins out more, but does not end all.
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

  /** The disk takes less time than a folder of many files, and it is others who fill it. */
  private void lookAfter(long nanos) {
    long beganNanos = nanoTime.getAsLong();
    if (files.isDue(beganNanos, nanos)) {
      writtenBytes = Math.max(0, sizeBytes(outputDir) - terms.startBytes());
      takenBytes = 0;
      refusedBytes = 0; // what did not fit may fit now
      files.looked(beganNanos, nanoTime.getAsLong());
    }
    long listedNanos = nanoTime.getAsLong();
    if (disk.isDue(listedNanos, nanos)) {
      long free = freeBytes.getAsLong();
      ofDiskBytes = free <= 0 ? 0 : free + takenBytes;
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
        // Nor may it be written.
      }
    }
    return bytes;
  }

  /** What a user should know of it where it is spent. */
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
        "the disk of %s has %s left, and this run's files take %s (ROLL_OTEL_RUN_BYTES)",
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
