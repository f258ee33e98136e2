package io.rollotel.traces.report;

import io.rollotel.traces.analysis.FanOutSends;
import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.analysis.RunTotals;
import java.util.Locale;
import java.util.Objects;

/** Findings on calls that could have been sent earlier, in sentences. */
final class SendsText {

  private static final int NAME_COLUMNS = 36;

  /** Added where steps overlap. */
  private static final String UNDISTURBED = ", while no worker became free from another step";

  private final RunTotals run;

  SendsText(RunTotals run) {
    this.run = run;
  }

  /**
   * The sentence.
   *
   * @param name the name of the calls
   * @param last the worker to which the last call is sent, or those that execute serial calls
   */
  String of(Finding finding, String name, String last) {
    FanOutSends.Totals sends = Objects.requireNonNull(finding.sends());
    String in =
        sends.waiting() < 0
            ? ""
            : "in "
                + TextFormat.spanName(run.spans().names().text(sends.waiting()), NAME_COLUMNS)
                + ", ";
    boolean isSaving = finding.savesNanos() != Finding.UNKNOWN;
    String times = String.format(Locale.ROOT, " (%d of %d times)", finding.times(), finding.of());
    if (finding.kind() == Finding.Kind.LATE_SENDS) {
      return in
          + "calls of "
          + name
          + " are sent to "
          + (finding.processes().isEmpty() ? "the last worker" : last)
          + (finding.processes().isEmpty() ? " " : " last, ")
          + TextFormat.duration(sends.spreadNanos())
          + " after the first"
          + times
          + (isSaving ? ": the saving is at most this, if all are sent at once" : UNDISTURBED);
    }
    return in
        + "calls of "
        + name
        + " to "
        + sends.workers()
        + " workers run "
        + (sends.atOnce() == 1 ? "one after the other" : "at most " + sends.atOnce() + " at a time")
        + times
        + (isSaving
            ? ": the saving is at most this, if all run at once and none needs the result of another"
            : UNDISTURBED);
  }
}
