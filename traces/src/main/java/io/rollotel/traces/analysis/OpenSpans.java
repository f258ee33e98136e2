package io.rollotel.traces.analysis;

import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.Comparator;
import java.util.List;

/** The spans that have not ended, by process, as recorder files tell of them. */
public final class OpenSpans {

  private final List<Recording> recordings;

  /** The processes in the order of a report's, each with its spans as it has them. */
  public OpenSpans(List<Recording> recordings) {
    this.recordings =
        recordings.stream()
            .sorted(
                Comparator.comparing(OpenSpans::process, TracedProcess.ORDER)
                    .thenComparing(Recording::file))
            .toList();
  }

  /** Those of one run. */
  public OpenSpans ofRun(String runId) {
    return new OpenSpans(
        recordings.stream()
            .filter(
                recording -> Spans.orNoRun(recording.resource().text("roll.run_id")).equals(runId))
            .toList());
  }

  /** Those of a process, the last started first: innermost first. */
  public List<Recording> processes() {
    return recordings;
  }

  public boolean isEmpty() {
    return recordings.stream().allMatch(recording -> recording.open().isEmpty());
  }

  /** The process that a recording is of. */
  public static TracedProcess process(Recording recording) {
    return new TracedProcess(TracedProcess.key(recording.resource()), recording.resource());
  }
}
