package io.rollotel.traces.cli;

import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.ForeignFiles;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.UnreadableLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code validate}: checks whether files are valid OTLP/JSON. */
@Command(
    name = "validate",
    customSynopsis = "validate [-hV] FILE...",
    description = {
      "Lists each line that is not an OTLP export request, with the reason.",
      "The exit code is 1 if there is such a line or a truncated line, or no file to check."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Validate implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(arity = "1..*", paramLabel = "FILE", description = MergedInput.FILES)
  private List<Path> files = List.of();

  private final ForeignFiles foreign = new ForeignFiles();

  // Made by picocli.
  Validate() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    RequestReader reader =
        new RequestReader(CallJoins.NONE, line -> name(line, out))
            .toldOfTornLines(line -> name(line, out));
    boolean isValid = true;
    for (Path file : files) {
      long[] lines = new long[1];
      ReadSummary summary = reader.read(file, (Signal signal, byte[] request, int n) -> lines[0]++);
      out.println(
          file
              + ": "
              + Count.text(lines[0], "line")
              + ", "
              + records(summary.spans())
              + ", "
              + Count.text(summary.duplicates(), "duplicate")
              + ", "
              + Count.text(summary.tornLines(), "truncated line")
              + ", "
              + summary.unreadableLines()
              + " unreadable");
      if (summary.isOfNothing()) {
        out.println(ReadSummary.NO_FILE);
        isValid = false;
      }
      isValid &= summary.unreadableLines() == 0 && summary.tornLines() == 0;
    }
    out.flush();
    return isValid ? 0 : Main.FAILED;
  }

  private static String records(long number) {
    return number == 1
        ? "1 span, data point or log record"
        : number + " spans, data points or log records";
  }

  private void name(UnreadableLine line, PrintWriter out) {
    UnreadableLine judged = foreign.judged(line);
    if (judged != null) {
      out.println(MergedInput.located(judged));
    }
  }
}
