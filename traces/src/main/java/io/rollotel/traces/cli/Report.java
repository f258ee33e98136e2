package io.rollotel.traces.cli;

import io.rollotel.traces.report.RunReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code report}: where the time of a run went. */
@Command(
    name = "report",
    customSynopsis = Main.JAVA_JAR + " report [-hV] [--run=ID] [DIR]",
    description = "Shows where the time of a run went.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Report implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      defaultValue = "./output/otlp",
      description = {"The run's output directory or one traces file;", "default: ${DEFAULT-VALUE}"})
  private Path dir = Path.of("");

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "The run to show, where the directory has several; default: the latest")
  private @Nullable String runId;

  // Made by picocli.
  Report() {}

  @Override
  public Integer call() throws IOException {
    CommandLine command = spec.commandLine();
    RunReport report = RunReport.read(dir, runId);
    report.print(report.isEmpty() ? command.getErr() : command.getOut());
    return report.isEmpty() ? Main.FAILED : 0;
  }
}
