package io.rollotel.traces.report;

import io.rollotel.traces.analysis.FanOutSends;
import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.analysis.RunTotals;
import java.util.Locale;

/** Findings on calls that could have been sent earlier, in sentences. */
final class SendsText {

  private static final int NAME_COLUMNS = 36;

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
    FanOutSends.Totals sends = sends(finding);
    String in =
        sends.waiting() < 0
            ? ""
            : "in "
                + TextFormat.spanName(run.spans().names().text(sends.waiting()), NAME_COLUMNS)
                + ", ";
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
          + ": at most this is saved if all are sent at once";
    }
    int workers = finding.processes().size();
    return in
        + (finding.ratio() == 1
            ? "calls of " + name + " to " + workers + " workers run one after the other"
            : String.format(
                Locale.ROOT,
                "of %d calls of %s to as many workers, never more than %.0f run at once",
                workers,
                name,
                finding.ratio()))
        + times
        + ": at most this is saved if all run at once and none needs the result of another";
  }

  private FanOutSends.Totals sends(Finding finding) {
    return run.sends().stream()
        .filter(one -> one.name() == finding.name())
        .filter(
            one ->
                finding.evidence().stream()
                    .allMatch(span -> one.processes().get(run.spans().process(span))))
        .findFirst()
        .orElseThrow();
  }
}
