package io.rollotel.traces.recording;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Whether the process of a recorder file is alive. It holds a lock on the file, which the system
 * releases when it dies. On some file systems, a lock may be lost or unavailable. So the process id
 * of a process without a lock is checked; if that is impossible, its last sign of life decides.
 *
 * @param host its host's name
 * @param startMillis when it was started, 0 if that is not known
 */
record Liveness(String host, long pid, long startMillis, long beatEpochNanos) {

  /** A live process gives a sign each half second; a suspended one does not. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The precision of a process's start time. */
  private static final long START_MILLIS_OFF = 2_000;

  static long nowEpochNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  /** Whether another process, or another channel of this one, has the lock. */
  static boolean isLocked(FileChannel readable) {
    try (FileLock ours = readable.tryLock(0, Long.MAX_VALUE, true)) {
      return ours == null;
    } catch (OverlappingFileLockException thisProcess) {
      return true;
    } catch (IOException noLocksHere) {
      return false;
    }
  }

  boolean isAlive(boolean isLocked) {
    if (isLocked) {
      return true;
    }
    boolean isSilent = Math.abs(nowEpochNanos() - beatEpochNanos) > SILENT_NANOS;
    return !isSilent && !(host.equals(HostName.get()) && isGone());
  }

  private boolean isGone() {
    return ProcessHandle.of(pid)
        .map(process -> process.info().startInstant().map(this::isAnother).orElse(false))
        .orElse(true);
  }

  private boolean isAnother(Instant start) {
    return startMillis != 0 && Math.abs(start.toEpochMilli() - startMillis) > START_MILLIS_OFF;
  }
}
