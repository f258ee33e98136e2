package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.recording.HostName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a process among all others, including those in containers and on hosts with the same
 * name.
 *
 * @param boot the kernel's boot ID, the same in all containers of a host; empty if the system has
 *     none
 * @param pidNamespace the namespace of the process id; empty if unknown
 * @param startMillis when it was started; 0 if unknown
 */
record ProcessMark(String boot, String pidNamespace, long pid, long startMillis) {

  /** The precision of a process's start time. */
  private static final long START_MILLIS_OFF = 2_000;

  private static final ProcessMark THIS = find();

  static ProcessMark ofThis() {
    return THIS;
  }

  private static ProcessMark find() {
    ProcessHandle process = ProcessHandle.current();
    return new ProcessMark(
        findBoot(),
        HostName.pidNamespace(),
        process.pid(),
        process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
  }

  private static String findBoot() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"), UTF_8).trim();
    } catch (IOException | RuntimeException notLinux) {
      return "";
    }
  }

  /** Whether both run, or have run, on one kernel: then each sees the other's file locks. */
  boolean isOfThisBoot() {
    return !boot.isEmpty() && boot.equals(THIS.boot);
  }

  /** Whether a process with this id is visible from here, and not a later one with the same id. */
  boolean isSeen() {
    if (!isOfThisBoot() || !pidNamespace.equals(THIS.pidNamespace)) {
      return false;
    }
    return ProcessHandle.of(pid)
        .map(process -> process.info().startInstant().map(this::isSame).orElse(true))
        .orElse(false);
  }

  private boolean isSame(Instant start) {
    return startMillis == 0 || Math.abs(start.toEpochMilli() - startMillis) <= START_MILLIS_OFF;
  }

  /** Null if it is invalid. */
  static @Nullable ProcessMark read(String line) {
    String[] parts = line.split(" ", -1);
    try {
      return parts.length == 4
          ? new ProcessMark(parts[0], parts[1], Long.parseLong(parts[2]), Long.parseLong(parts[3]))
          : null;
    } catch (NumberFormatException another) {
      return null;
    }
  }

  @Override
  public String toString() {
    return boot + " " + pidNamespace + " " + pid + " " + startMillis;
  }
}
