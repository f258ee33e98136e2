package io.rollotel.traces.report;

import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.recording.Recording;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which of the runs that were read a report shows. */
final class ShownRun {

  private ShownRun() {}

  /**
   * The latest run. If it has no steps and began during a run with steps, that one: workers that
   * got no context from their pipeline begin traces of their own, under an id of their own.
   *
   * @param all the latest first
   * @param open the spans of all runs that have not ended
   * @return null if there are no runs
   */
  static @Nullable FoundRun latest(List<FoundRun> all, OpenSpans open) {
    if (all.isEmpty()) {
      return null;
    }
    FoundRun latest = all.get(0);
    return all.stream()
        .filter(run -> run.hasSteps() && end(run, open) >= latest.startEpochNanos())
        .findFirst()
        .filter(run -> !latest.hasSteps())
        .orElse(latest);
  }

  /** The end of its last span, or the last sign of life of a process with open spans. */
  private static long end(FoundRun run, OpenSpans open) {
    return open.ofRuns(run.ids()).processes().stream()
        .filter(process -> !process.open().isEmpty())
        .mapToLong(Recording::lastSignEpochNanos)
        .reduce(run.endEpochNanos(), Math::max);
  }

  /** The run with that id; otherwise the latest run that includes processes with that id. */
  static @Nullable FoundRun called(String runId, List<FoundRun> all) {
    return all.stream()
        .filter(run -> run.id().equals(runId))
        .findFirst()
        .orElse(all.stream().filter(run -> run.isCalled(runId)).findFirst().orElse(null));
  }
}
