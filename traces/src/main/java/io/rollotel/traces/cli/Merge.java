package io.rollotel.traces.cli;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code merge}: combines many files into a clean one. */
@Command(
    name = "merge",
    customSynopsis = "merge [-hV] FILE... --output=FILE [--no-join]",
    description = {
      "Merges files into a new one in otelcol's format, each span once.",
      "Reads rotated and compressed files, files of single processes, and files of otelcol and"
          + " ROLL."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Merge implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private MergedInput input = new MergedInput(); // picocli puts its own here

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "The new file, which must not exist")
  private Path output = Path.of("");

  private long spans;

  // Made by picocli.
  Merge() {}

  @Override
  public Integer call() throws IOException {
    if (Files.exists(output)) {
      throw new ParameterException(spec.commandLine(), output + " is there already.");
    }
    input.check(spec.commandLine());
    boolean isWhole = false;
    try {
      merge();
      isWhole = true;
    } finally {
      if (!isWhole) {
        Files.deleteIfExists(output); // a part of it would look complete
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(output + ": " + spans + " spans; " + input);
    out.flush();
    return 0;
  }

  private void merge() throws IOException {
    FileRules oneFile = new FileRules(0, 0, false, false);
    try (TracesWriter writer = TracesWriter.open(output.toFile(), Signal.TRACES, oneFile)) {
      input.read(
          (signal, request, n) -> write(writer, signal, request, n),
          Main.of(spec),
          Progress.Unit.WRITTEN);
    }
  }

  private void write(TracesWriter writer, Signal signal, byte[] request, int records)
      throws IOException {
    if (signal != Signal.TRACES) {
      return;
    }
    try {
      writer.write(request, 0, request.length);
      spans += records;
    } catch (MalformedRequestException e) {
      throw new IOException(e); // the reader has checked it
    }
  }
}
