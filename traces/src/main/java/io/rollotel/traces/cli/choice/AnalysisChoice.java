package io.rollotel.traces.cli.choice;

import io.rollotel.traces.report.ReportOptions;
import picocli.CommandLine.Option;

/** How a run is analysed: options of all reports. */
public final class AnalysisChoice {

  @Option(
      names = "--step",
      paramLabel = "NAME",
      defaultValue = "pipeline_step",
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

  /** Report options with the user's choices. */
  public ReportOptions in(ReportOptions options) {
    return options.withSteps(stepName).withClockCorrection(!isAsRecorded);
  }
}
