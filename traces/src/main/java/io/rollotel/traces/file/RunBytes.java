package io.rollotel.traces.file;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
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

  /** For files that no run writes. */
  public static final RunBytes UNLIMITED =
      new RunBytes(new File(""), 0, 0, new SystemClock(), new SystemClock());

  private static final String[] FOLDERS = {"traces", "metrics", "logs"};

  /** Of what was free at the start, this part is left to others, unless it is more than enough. */
  private static final int FREE_SHARE = 16;

  private static final long MOST_LEFT_FREE = 1L << 30;

  /** The last part of the limit, for what other processes write between two looks. */
  private static final int RESERVE_SHARE = 256;

  /** What waits leaves so much of what is left. */
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
  private final long startBytes;
  private final long limitBytes;
  private final LongSupplier freeBytes;
  private final LongSupplier nanoTime;

  /** 0 where the file system does not tell how much is free. */
  private final long leftFreeBytes;

  // Guarded by this.
  private long ofLimitBytes;
  private long ofDiskBytes = Long.MAX_VALUE;
  private long takenBytes;

  /** Of the last line, if it did not fit. */
  private long refusedBytes;

  private boolean hasLooked;
  private long lookedNanos;
  private long lookTookNanos;

  RunBytes(
      File outputDir,
      long startBytes,
      long limitBytes,
      LongSupplier freeBytes,
      LongSupplier nanoTime) {
    this.outputDir = outputDir;
    this.startBytes = startBytes;
    this.limitBytes = limitBytes;
    this.freeBytes = freeBytes;
    this.nanoTime = nanoTime;
    this.leftFreeBytes = leftFree(limitBytes == 0 ? 0 : freeBytes.getAsLong());
    this.ofLimitBytes = limitBytes;
  }

  /**
   * Of a run that begins now.
   *
   * @param given the limit that the user set, 0 for none; null for half of what is free
   */
  public static RunBytes ofRun(File outputDir, @Nullable Long given) {
    return ofRun(outputDir, given, new FreeOnDisk(outputDir), new SystemClock());
  }

  static RunBytes ofRun(
      File outputDir, @Nullable Long given, LongSupplier freeBytes, LongSupplier nanoTime) {
    if (given != null && given == 0) {
      return UNLIMITED;
    }
    long free = freeBytes.getAsLong();
    // A file system that tells nothing, or has nothing, sets no limit.
    long most = free <= 0 ? Long.MAX_VALUE : free - leftFree(free);
    long limit = given != null ? Math.min(given, most) : Math.max(0, free / 2);
    return new RunBytes(outputDir, sizeBytes(outputDir), limit, freeBytes, nanoTime);
  }

  /** Of a run that another process has begun in the same directory. */
  public static RunBytes joined(File outputDir, long startBytes, long limitBytes) {
    return limitBytes <= 0
        ? UNLIMITED
        : new RunBytes(
            outputDir, startBytes, limitBytes, new FreeOnDisk(outputDir), new SystemClock());
  }

  // Neither is a lambda: the first of a JVM takes milliseconds, and a traced call may wait for
  // this.

  private static final class SystemClock implements LongSupplier {
    @Override
    public long getAsLong() {
      return System.nanoTime();
    }
  }

  /** How much is free where a directory lies, or is to be made; 0 where that is not known. */
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

  private static long leftFree(long freeBytes) {
    return Math.min(Math.max(0, freeBytes) / FREE_SHARE, MOST_LEFT_FREE);
  }

  /** What lay in the directory when the run began. */
  public long startBytes() {
    return startBytes;
  }

  /** How much the run may add to that; 0 for any amount. */
  public long limitBytes() {
    return limitBytes;
  }

  /**
   * How often traces are to be halved: by one in two when half of the limit is used up, and by one
   * in two more whenever what is left has shrunk to 1/√2. So the files grow ever more slowly, and a
   * run of more than a hundred times what fills the first half still fits.
   *
   * @param waitingBytes what is on its way to the files besides
   * @param isDiskWatched whether what others leave free on the disk counts as well
   */
  public int halvings(long waitingBytes, boolean isDiskWatched) {
    if (limitBytes == 0) {
      return 0;
    }
    synchronized (this) {
      lookAfter(LOOK_NANOS);
      long left = isDiskWatched ? leftBytes() : ofLimitBytes - takenBytes;
      // What waits is an estimate: it thins out more, but does not end all.
      return halvings(left - Math.min(waitingBytes, left - left / WAITING_SHARE), limitBytes);
    }
  }

  static int halvings(long leftBytes, long limitBytes) {
    if (leftBytes > limitBytes / 2) {
      return 0;
    }
    double times = (double) limitBytes / Math.max(1, leftBytes);
    return Math.min(MOST_HALVINGS, (int) (2 * Math.log(times) / Math.log(2) + 1e-9) - 1);
  }

  /** Whether nothing more may be written, as far as the last look has shown. */
  public synchronized boolean isSpent() {
    return limitBytes != 0 && leftBytes() - refusedBytes <= reserveBytes();
  }

  /**
   * Takes what is to be written next.
   *
   * @throws SpentException if it does not fit
   */
  synchronized void take(long bytes) throws SpentException {
    if (limitBytes == 0) {
      return;
    }
    boolean isNear = leftBytes() - bytes < limitBytes / NEAR_SHARE;
    lookAfter(isNear ? NEAR_LOOK_NANOS : LOOK_NANOS);
    if (leftBytes() - bytes < reserveBytes()) {
      refusedBytes = bytes;
      throw new SpentException(toString());
    }
    refusedBytes = 0;
    takenBytes += bytes;
  }

  private long leftBytes() {
    return Math.min(ofLimitBytes, ofDiskBytes) - takenBytes;
  }

  private long reserveBytes() {
    return limitBytes / RESERVE_SHARE;
  }

  private void lookAfter(long nanos) {
    long began = nanoTime.getAsLong();
    if (hasLooked && began - lookedNanos < Math.max(nanos, LOOK_SHARE * lookTookNanos)) {
      return;
    }
    takenBytes = 0;
    ofLimitBytes = limitBytes - Math.max(0, sizeBytes(outputDir) - startBytes);
    ofDiskBytes = leftFreeBytes == 0 ? Long.MAX_VALUE : freeBytes.getAsLong() - leftFreeBytes;
    hasLooked = true;
    lookedNanos = nanoTime.getAsLong();
    lookTookNanos = lookedNanos - began;
  }

  /** What lies in the directory, compressed files and those that are being compressed included. */
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
  public String toString() {
    return String.format(
        Locale.ROOT,
        "the limit of a run's files in %s, %s, is reached (ROLL_OTEL_RUN_BYTES)",
        outputDir,
        size(limitBytes));
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
