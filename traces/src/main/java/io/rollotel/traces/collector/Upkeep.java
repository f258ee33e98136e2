package io.rollotel.traces.collector;

import io.rollotel.traces.file.Retention;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a driver does in the output directory beside collecting: it keeps its lock and its address,
 * recovers what dead processes left, and removes old runs. Any thread.
 */
final class Upkeep implements AutoCloseable {

  /** The time between two checks that lock and address still exist. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time between two checks for old runs to remove. */
  private static final long RETENTION_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Rendezvous run;
  private final DriverFile file;
  private final File outputDir;
  private final Retention.Rules kept;
  private final Consumer<String> warn;
  private final Consumer<String> info;
  private final Recovery recovery;

  private volatile boolean isClosed;

  // Guarded by this.
  private final List<RepeatedWork> works = new ArrayList<>();

  /**
   * For a driver that does not collect yet.
   *
   * @param run tells the run's id and how much it may write
   * @param file the lock in the output directory, which this process holds
   * @param kept how much of old runs is kept
   * @param warn receives lines that the user should see
   * @param info receives lines about actions
   */
  Upkeep(
      Rendezvous run,
      DriverFile file,
      File outputDir,
      Retention.Rules kept,
      Consumer<String> warn,
      Consumer<String> info) {
    this.run = run;
    this.file = file;
    this.outputDir = outputDir;
    this.kept = kept;
    this.warn = warn;
    this.info = info;
    this.recovery =
        new Recovery(outputDir, run::ownFile, run::runBytes, this::warnUnlessClosed, info);
  }

  /** The next driver recovers what this one leaves. */
  private void warnUnlessClosed(String line) {
    if (!isClosed) {
      warn.accept(line);
    }
  }

  /** Without this, deleted files stay deleted, which does not affect existing processes. */
  void keepFiles() {
    try {
      repeat(new RepeatedWork("roll-otel-driver", LOOK_NANOS, file::keep));
    } catch (OutOfMemoryError noThreadLeft) {
      info.accept(
          "the lock and the address in "
              + new File(outputDir, "traces")
              + " will not be maintained");
    }
  }

  void removeOldRuns() {
    if (kept.isNone()) {
      return;
    }
    OldRuns old =
        new OldRuns(
            new Retention(outputDir.toPath(), kept, warn),
            run::runId,
            outputDir.toString(),
            run::removed,
            warn);
    try {
      repeat(new RepeatedWork("roll-otel-retention", RETENTION_NANOS, old::remove));
    } catch (OutOfMemoryError noThreadLeft) {
      warn.accept("old runs in " + outputDir + " are not removed: " + noThreadLeft);
    }
  }

  private void repeat(RepeatedWork work) {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      works.add(work);
    }
    work.start();
  }

  /** Sweeps the files of dead processes, also after {@link #close}: {@link Recovery#sweep}. */
  void sweep(@Nullable EmbeddedCollector collector, long patienceMillis) {
    recovery.sweep(collector, patienceMillis);
  }

  /** Ends what is repeated. Does not wait for work that is running. */
  @Override
  public synchronized void close() {
    isClosed = true;
    works.forEach(RepeatedWork::close);
  }
}
