package io.rollotel.traces.report;

import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.profile.Cause;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.TracedProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A finding as a report shows it.
 *
 * @param workers the workers concerned
 * @param share the saved share of the steps' time; 0 if unknown
 * @param text in a sentence
 * @param cause the cause according to the profile; null if unknown
 */
public record FindingRow(
    Finding finding,
    List<TracedProcess> workers,
    double share,
    String text,
    List<SpanRow> evidence,
    @Nullable Cause cause) {

  /** Whether it has no saving, but tells what spans on the path wait for, or how calls are sent. */
  public boolean isToldWithoutSaving() {
    return !hasSaving()
        && switch (finding.kind()) {
          case WAITS_FOR, LATE_SENDS, SERIAL_CALLS -> true;
          default -> false;
        };
  }

  /** The same for use after the spans of its run are gone, whose memory the evidence holds. */
  FindingRow withoutEvidence() {
    return new FindingRow(finding, workers, share, text, List.of(), cause);
  }

  /** Whether a replay can determine the saving. */
  public boolean hasSaving() {
    return finding.savesNanos() != Finding.UNKNOWN;
  }
}
