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

  private static final int NAME_COLUMNS = 40;

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

  /**
   * Who is slow; and in what, if the others wait for that inside their calls.
   *
   * @param name the name of the finding's spans
   */
  public String slowInWords(String name) {
    String who =
        workers.size() == 1
            ? TextFormat.process(workers.get(0), NAME_COLUMNS)
            : finding.kind() == Finding.Kind.SLOW_HOST
                ? "host " + TextFormat.name(finding.host(), NAME_COLUMNS)
                : TextFormat.count(workers.size(), "worker", "workers");
    return who
        + (workers.size() == 1 || finding.kind() == Finding.Kind.SLOW_HOST ? " is" : " are")
        + " slow"
        + (finding.below().waitedForIn() < 0
            ? ""
            : " in "
                + TextFormat.spanName(name, NAME_COLUMNS)
                + (finding.below().isItself() ? " itself" : ""));
  }

  /** Whether a replay can determine the saving. */
  public boolean hasSaving() {
    return finding.savesNanos() != Finding.UNKNOWN;
  }
}
