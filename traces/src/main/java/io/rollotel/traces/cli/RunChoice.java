package io.rollotel.traces.cli;

import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The choice of a run: an option of all commands that read one. */
final class RunChoice {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(
      arity = "0..*",
      paramLabel = "DIR",
      description = "The run's output directories or traces files; default: " + Main.DEFAULT_DIR)
  private List<Path> dirs = List.of();

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "Which run, if there are several; default: the latest")
  private @Nullable String runId;

  // Made by picocli.
  RunChoice() {}

  List<Path> dirs() throws IOException {
    return dirs.isEmpty() ? List.of(Main.outputDir(spec, null)) : dirs;
  }

  /** Its id; null for the latest. */
  @Nullable String id() {
    return runId;
  }

  /** The run; shows the user the progress of reading. */
  ReportOptions options(Main main) {
    return ReportOptions.latestRun().withRun(runId).withProgress(main.progress(Progress.Unit.READ));
  }
}
