package io.rollotel.traces.cli;

import io.rollotel.traces.collector.CollectorTable;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.Retention;
import io.rollotel.traces.report.PlainText;
import io.rollotel.traces.settings.Setting;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code clean}: removes the oldest runs of a directory. */
@Command(
    name = "clean",
    customSynopsis = "clean [-hV] DIR [--keep-runs=N] [--keep-bytes=SIZE] [--dry-run]",
    description = {
      "Removes the oldest runs from an output directory, with all of their files.",
      "Keeps files that are being written, files that name no run, and pages. A driver with"
          + " ROLL_OTEL_KEEP_RUNS or ROLL_OTEL_KEEP_BYTES does the same automatically."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Clean implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(paramLabel = "DIR", description = "The output directory")
  private Path dir = Path.of("");

  @Option(
      names = "--keep-runs",
      paramLabel = "N",
      description = "The number of runs to keep, including those that are being written")
  private @Nullable String keepRuns;

  @Option(
      names = "--keep-bytes",
      paramLabel = "SIZE",
      description = "The total size to keep at most, such as 50g")
  private @Nullable String keepBytes;

  @Option(names = "--dry-run", description = "Shows what would be removed, and removes nothing")
  private boolean isDry;

  // Made by picocli.
  Clean() {}

  @Override
  public Integer call() throws IOException {
    Retention.Rules rules =
        new Retention.Rules(
            number("--keep-runs", CollectorTable.KEEP_RUNS, keepRuns),
            number("--keep-bytes", CollectorTable.KEEP_BYTES, keepBytes));
    if (rules.isNone()) {
      throw new ParameterException(
          spec.commandLine(), "Give --keep-runs=N, --keep-bytes=SIZE, or both.");
    }
    Main.checkDirectory(dir);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    boolean[] hasFailed = new boolean[1];
    Retention retention =
        new Retention(
            dir.toRealPath(),
            rules,
            line -> {
              hasFailed[0] = true;
              err.println(PlainText.escaped(line));
            });
    Retention.Removal plan = retention.plan(written());
    if (isDry) {
      plan.files().forEach(file -> out.println(PlainText.escaped(file.toString())));
    }
    Retention.Removal gone = isDry ? plan : retention.remove(plan);
    out.println(
        gone.isEmpty()
            ? (hasFailed[0] ? "removed nothing from " : "nothing to remove in ") + dir
            : (isDry ? "would remove " : "removed ") + PlainText.escaped(gone.toString()));
    for (List<String> runs : retention.sharing()) {
      out.println(
          PlainText.escaped(
              runs.size()
                  + " runs share files, and are kept or removed together: "
                  + String.join(", ", runs)));
    }
    out.flush();
    return hasFailed[0] ? Main.FAILED : 0;
  }

  /** The run that a driver collects there now. */
  private List<String> written() {
    // A process that may not lead changes nothing.
    try (Rendezvous rendezvous =
        new Rendezvous(
            dir.toFile().getAbsoluteFile(), false, false, null, line -> {}, line -> {})) {
      String run = rendezvous.knownRunId();
      return run == null ? List.of() : List.of(run);
    }
  }

  private long number(String option, Setting<Long> setting, @Nullable String given) {
    if (given == null) {
      return 0;
    }
    List<String> complaints = new ArrayList<>();
    Long number = setting.understood(given.trim(), complaints);
    if (number == null) {
      String complaint = complaints.get(0);
      throw new ParameterException(
          spec.commandLine(), option + complaint.substring(complaint.indexOf('=')));
    }
    return number;
  }
}
