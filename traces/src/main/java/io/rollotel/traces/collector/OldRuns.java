package io.rollotel.traces.collector;

import io.rollotel.traces.file.Retention;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Removes the oldest runs periodically. For one thread. */
final class OldRuns {

  private final Retention retention;
  private final Supplier<String> runId;
  private final String outputDir;
  private final LongConsumer removedLineBytes;
  private final Consumer<String> warn;
  private boolean hasFailed;

  /**
   * The old runs of a directory.
   *
   * @param runId the run that is being written
   * @param removedLineBytes receives the number of removed bytes that count for {@code
   *     ROLL_OTEL_RUN_BYTES}
   * @param warn receives a line for removed runs, and one for problems
   */
  OldRuns(
      Retention retention,
      Supplier<String> runId,
      String outputDir,
      LongConsumer removedLineBytes,
      Consumer<String> warn) {
    this.retention = retention;
    this.runId = runId;
    this.outputDir = outputDir;
    this.removedLineBytes = removedLineBytes;
    this.warn = warn;
  }

  /** One round. The next one may succeed if it fails. */
  void remove() {
    try {
      Retention.Removal gone = retention.remove(retention.plan(Set.of(runId.get())));
      if (!gone.isEmpty()) {
        warn.accept("removed " + gone + " from " + outputDir + " (ROLL_OTEL_KEEP_…)");
        removedLineBytes.accept(gone.lineBytes());
      }
      hasFailed = false;
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      if (!hasFailed) {
        hasFailed = true;
        warn.accept(
            "old runs in " + outputDir + " cannot be removed now and will be removed later: " + e);
      }
    }
  }
}
