package io.rollotel.traces.collector;

import java.io.File;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides, once, whether a process is the driver of its run: the first process that takes the lock
 * in the output directory is. Accesses nothing before the first {@link #decideOnce}.
 */
final class DriverElection {

  /**
   * How long a driver with the lock may take to write the run's id, which it normally does at once.
   */
  private static final long RUN_ID_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Rendezvous process;
  private final File tracesDir;
  private final boolean mayLead;
  private final boolean mustLead;
  private final @Nullable String givenRunId;
  private final Consumer<String> warn;

  private final DriverFile file;

  /** The lock of the rendezvous, which guards the file. */
  private final Object lock;

  private volatile boolean isOver;
  private volatile boolean isWithdrawn;

  /**
   * An election that has not begun.
   *
   * @param process leads or follows, as decided
   * @param lock the lock of {@code process}
   * @param mayLead whether this process may become the driver
   * @param mustLead whether the user requires it to be the driver
   * @param givenRunId the run's id, or null if the driver makes one
   * @param warn receives lines that the user should see
   */
  DriverElection(
      Rendezvous process,
      Object lock,
      DriverFile file,
      File tracesDir,
      boolean mayLead,
      boolean mustLead,
      @Nullable String givenRunId,
      Consumer<String> warn) {
    this.process = process;
    this.lock = lock;
    this.file = file;
    this.tracesDir = tracesDir;
    this.mayLead = mayLead;
    this.mustLead = mustLead;
    this.givenRunId = givenRunId;
    this.warn = warn;
  }

  /** Whether it is decided. Takes no lock. */
  boolean isOver() {
    return isOver;
  }

  /** From now on, this process does not become the driver any more. Takes no lock. */
  void withdraw() {
    isWithdrawn = true;
  }

  /**
   * Decides, unless that has been done. Under the lock, but it waits without the lock for a driver
   * that is about to write the run's id.
   */
  void decideOnce() {
    if (!isOver) {
      decide();
      isOver = true;
    }
  }

  private void decide() {
    long deadlineNanos = System.nanoTime() + RUN_ID_PATIENCE_NANOS;
    boolean interrupted = false;
    try {
      while (!isOver) { // another thread may decide during the wait
        // It has the lock already if memory was too short for the rest the last time.
        if (mayLead && !isWithdrawn && (file.isLocked() || file.tryLock())) {
          process.lead(givenRunId);
          return;
        }
        String id = givenRunId != null ? givenRunId : file.runId();
        if (id != null
            || !file.isHeldByAnother()
            || file.isDoubted()
            || System.nanoTime() - deadlineNanos >= 0) {
          if (mustLead && file.isHeldByAnother()) {
            warn.accept("another process collects in " + tracesDir + ", this one is a worker");
          }
          if (id != null) {
            process.follow(id);
          }
          return;
        }
        // The driver is about to write it, or is ending.
        try {
          lock.wait(10);
        } catch (InterruptedException e) {
          interrupted = true; // the application's interrupt, restored below
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
