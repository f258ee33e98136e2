package io.rollotel.traces.report;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The activity on the critical path, in lines. */
final class ProfileText {

  private static final int NAME_COLUMNS = 24;

  /** The width of the columns before the reasons: share, time, name. */
  private static final int FIRST_COLUMNS = 20 + NAME_COLUMNS;

  private static final int DETAIL_COLUMNS = 40;
  private static final int LISTED = 6;

  /** A smaller share is not reported. */
  private static final double LEAST_SHARE = 0.03;

  /** A line is named if it has more than this share of its method's time. */
  private static final double MOST_OF_IT = 0.5;

  private final ProfileRows profile;
  private final int processes;
  private final ReportWriter out;

  ProfileText(ProfileRows profile, int processes, ReportWriter out) {
    this.profile = profile;
    this.processes = processes;
    this.out = out;
  }

  void print() {
    out.println();
    out.line(
        ReportWriter.Colour.HEADING,
        "Why? What threads did on the critical path, by the profile of "
            + (profile.processes() == processes ? "" : profile.processes() + " of ")
            + TextFormat.count(processes, "process", "processes")
            + ":");
    double total = profile.path().stream().mapToDouble(ProfileRows.Row::nanos).sum();
    for (ProfileRows.Row row : profile.path().stream().limit(LISTED).toList()) {
      List<String> lines = lines(row);
      String first =
          String.format(
              "  %4s %9s  %s  ",
              TextFormat.percent(total == 0 ? 0 : row.nanos() / total),
              TextFormat.duration(Math.round(row.nanos())),
              ShownWidth.padded(
                  TextFormat.spanName(row.name().text(), NAME_COLUMNS), NAME_COLUMNS));
      for (String line : lines.isEmpty() ? List.of("-") : lines) {
        out.hanging(first + line, " ".repeat(FIRST_COLUMNS + 2));
        first = " ".repeat(FIRST_COLUMNS);
      }
    }
    for (String problem : profile.problems().stream().limit(LISTED).toList()) {
      out.println("  not read to its end: " + TextFormat.text(problem, 100));
    }
  }

  private static List<String> lines(ProfileRows.Row row) {
    List<String> lines = new ArrayList<>();
    for (ProfileRows.ActivityRow activity : row.activities()) {
      if (activity.share() >= LEAST_SHARE) {
        lines.add(
            TextFormat.percent(activity.share())
                + " "
                + activity.activity().words()
                + details(activity, row.breakdown()));
      }
    }
    return lines;
  }

  /** The first one or two details of an activity; methods only with enough samples. */
  private static String details(ProfileRows.ActivityRow activity, Breakdown of) {
    boolean isRunning = activity.activity() == Activity.RUNNING;
    String seen =
        isRunning
            ? " (" + TextFormat.count(Math.round(of.samples()), "sample", "samples") + ")"
            : "";
    if (isRunning && !of.tellsMethods()) {
      return seen;
    }
    List<String> first = new ArrayList<>();
    for (Breakdown.Detail detail : activity.details().stream().limit(isRunning ? 2 : 1).toList()) {
      if (detail.what().isEmpty() || detail.nanos() < LEAST_SHARE * activity.nanos()) {
        continue;
      }
      String name =
          TextFormat.name(
              TextFormat.method(detail.what()) + line(detail),
              detail.what().contains(" held by ") ? 2 * DETAIL_COLUMNS : DETAIL_COLUMNS);
      first.add(
          isRunning ? name + " " + TextFormat.percent(detail.nanos() / activity.nanos()) : name);
    }
    return first.isEmpty() ? seen : seen + ": " + String.join(", ", first);
  }

  /** The line at which most of a method's time was spent, if there is one. */
  private static String line(Breakdown.Detail method) {
    return method.lines().stream()
        .limit(1)
        .filter(line -> line.nanos() > MOST_OF_IT * method.nanos())
        .map(line -> ":" + line.line())
        .collect(Collectors.joining());
  }
}
