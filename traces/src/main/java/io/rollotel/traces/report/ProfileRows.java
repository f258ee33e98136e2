package io.rollotel.traces.report;

import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.report.ReportContents.NameRef;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The activity of spans' threads, as a report shows it.
 *
 * @param processes how many processes of the run were recorded
 * @param problems files that could be read in part only, and why
 * @param path the activity on the critical paths, by name, the one with the most time first
 * @param names the activity in the spans of a name in a process, while they waited for no other
 * @param source for details that few callers ask for
 */
public record ProfileRows(
    int processes,
    int files,
    List<String> problems,
    List<Row> path,
    List<Row> names,
    RunProfile source) {

  /** How many parts have a row. */
  private static final int MOST_ROWS = 1_000;

  /** How many methods or similar details are named. */
  private static final int MOST_DETAILS = 10;

  /**
   * The activity in spans of one name.
   *
   * @param process null if there are several
   * @param activities the one with the most time first; they add up to the time
   */
  public record Row(
      NameRef name,
      @Nullable TracedProcess process,
      double nanos,
      List<ActivityRow> activities,
      Breakdown breakdown) {}

  /** An activity's part of a row. */
  public record ActivityRow(
      Activity activity, double nanos, double share, List<Breakdown.Detail> details) {}

  static ProfileRows of(RunTotals run, RunProfile profile) {
    return new ProfileRows(
        profile.processes(),
        profile.files(),
        profile.problems(),
        rows(run, profile.path()),
        rows(run, profile.names()),
        profile);
  }

  private static List<Row> rows(RunTotals run, List<RunProfile.Part> parts) {
    Spans spans = run.spans();
    return parts.stream()
        .limit(MOST_ROWS)
        .map(
            part ->
                new Row(
                    new NameRef(part.name(), spans.names().text(part.name())),
                    part.process() < 0 ? null : spans.processes().get(part.process()),
                    part.breakdown().totalNanos(),
                    activities(part.breakdown()),
                    part.breakdown()))
        .toList();
  }

  private static List<ActivityRow> activities(Breakdown breakdown) {
    double total = breakdown.totalNanos();
    return breakdown.activities().stream()
        .map(
            activity ->
                new ActivityRow(
                    activity,
                    breakdown.nanos(activity),
                    breakdown.nanos(activity) / total,
                    breakdown.details(activity).stream().limit(MOST_DETAILS).toList()))
        .toList();
  }
}
