package io.rollotel.agent.profile;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.rollotel.traces.file.RunBytes;
import java.io.File;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * The directory that Flight Recorder writes to, and the free room of its disk. Flight Recorder ends
 * the JVM if that disk is full, so the profile has to end before.
 */
final class RepositoryRoom {

  private static final long LEAST_BYTES = 16L << 20;
  private static final long MOST_BYTES = 1L << 30;

  /** On a large disk, programs may write more between two looks. */
  private static final int PART = 32;

  private static final String REPOSITORY = "jdk.jfr.repository";
  private static final String REMEDY =
      "name another directory in -XX:FlightRecorderOptions:repository=DIR";

  private RepositoryRoom() {}

  /**
   * Where Flight Recorder writes to; null if it has not started, or if the application has replaced
   * its properties. It may change at any time.
   */
  static @Nullable String repository() {
    return System.getProperty(REPOSITORY);
  }

  /**
   * What to say if there is too little room, or none that may be written; null if there is enough,
   * or nobody knows.
   *
   * @param repository null if Flight Recorder has not started
   */
  static @Nullable String lack(@Nullable String repository) {
    if (repository != null) {
      return lack(new File(repository));
    }
    File usual = new File(System.getProperty("java.io.tmpdir", ""));
    // As in a container whose root file system is read-only.
    String lack =
        usual.isDirectory() && !usual.canWrite()
            ? "Flight Recorder cannot write in " + usual + "; " + REMEDY
            : lack(usual);
    return lack == null || isElsewhere() ? null : lack;
  }

  private static @Nullable String lack(File directory) {
    long total = directory.getTotalSpace(); // 0 if there is no such directory
    long free = directory.getUsableSpace();
    return total == 0 || free >= leastFree(total)
        ? null
        : "the disk of "
            + directory
            + " has "
            + RunBytes.size(free)
            + " left, and Flight Recorder would end the JVM if it were full; make room, or "
            + REMEDY;
  }

  /** How much room a disk of some size must have. */
  static long leastFree(long totalBytes) {
    return Math.max(LEAST_BYTES, Math.min(MOST_BYTES, totalBytes / PART));
  }

  /** Whether the JVM was started with another directory; asked only if the usual one is unfit. */
  private static boolean isElsewhere() {
    try {
      HotSpotDiagnosticMXBean options =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return options != null
          && options.getVMOption("FlightRecorderOptions").getValue().contains("repository=");
    } catch (RuntimeException | LinkageError unknown) {
      return false;
    }
  }
}
