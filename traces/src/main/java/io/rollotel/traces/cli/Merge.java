package io.rollotel.traces.cli;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.MalformedRequestException;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.file.Signal;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.file.UnreadableLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code merge}: one clean file of many. */
@Command(
    name = "merge",
    customSynopsis = Main.JAVA_JAR + " merge [-hV] FILE... --output=FILE",
    description = {
      "Writes the spans of all files into a new one, each span once, in otelcol's form:",
      "rotated, compressed and processes' own files, otelcol's and ROLL's."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Merge implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files or directories")
  private List<Path> files = List.of();

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "The new file; must not be there")
  private Path output = Path.of("");

  // Made by picocli.
  Merge() {}

  @Override
  public Integer call() throws IOException {
    if (Files.exists(output)) {
      throw new ParameterException(spec.commandLine(), output + " is there already.");
    }
    PrintWriter err = spec.commandLine().getErr();
    RequestReader reader = new RequestReader(true, line -> err.println(left(line)));
    long spans = 0;
    long duplicates = 0;
    long tornLines = 0;
    FileRules oneFile = new FileRules(0, 0, false, false);
    try (TracesWriter writer = TracesWriter.open(output.toFile(), Signal.TRACES, oneFile)) {
      for (Path file : files) {
        ReadSummary summary =
            reader.read(file, (signal, request, n) -> write(writer, signal, request));
        spans += summary.spans();
        duplicates += summary.duplicates();
        tornLines += summary.tornLines();
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        output
            + ": "
            + spans
            + " spans; left out: "
            + duplicates
            + " duplicates, "
            + tornLines
            + " lines cut off");
    out.flush();
    return 0;
  }

  private static void write(TracesWriter writer, Signal signal, byte[] request) throws IOException {
    if (signal != Signal.TRACES) {
      return;
    }
    try {
      writer.write(request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new IOException(e); // the reader has checked it
    }
  }

  private static String left(UnreadableLine line) {
    return "left out: " + line.file() + ":" + line.lineNumber() + ": " + line.reason();
  }
}
