package io.rollotel.traces.cli.choice;

import io.rollotel.traces.report.PlainText;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a run is analysed: options of all reports. */
public final class AnalysisChoice {

  private static final String USUAL = "pipeline_step";

  /** How many names of roots are listed. */
  private static final int NAMES = 5;

  @Option(
      names = "--step",
      paramLabel = "NAME",
      defaultValue = USUAL,
      description = "The name of the spans that are steps of the run; default: ${DEFAULT-VALUE}")
  private String stepName = "";

  @Option(
      names = "--no-clock-correction",
      description =
          "Shows all times as they were recorded. Otherwise the times of a host whose clock is"
              + " ahead or behind are converted to the driver's clock")
  private boolean isAsRecorded;

  /** As picocli makes it. */
  public AnalysisChoice() {}

  /** What to say if the user names steps and no span has that name; null otherwise. */
  public @Nullable String complaint(ReportContents contents) {
    if (stepName.equals(USUAL) || !contents.steps().areTraces()) {
      return null;
    }
    String roots =
        contents.roots().stream()
            .limit(NAMES)
            .map(root -> root.name().text())
            .collect(Collectors.joining(", "));
    return PlainText.escaped(
        "No span has the name "
            + stepName
            + " (--step). The roots of traces have the names: "
            + roots);
  }

  /** Report options with the user's choices. */
  public ReportOptions in(ReportOptions options) {
    return options.withSteps(stepName).withClockCorrection(!isAsRecorded);
  }
}
