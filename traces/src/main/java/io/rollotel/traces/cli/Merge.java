package io.rollotel.traces.cli;

import io.rollotel.traces.file.Count;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.parquet.ParquetFormat;
import java.io.IOException;
import java.io.OutputStream;
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
      "Reads rotated and compressed files, files of single processes, Parquet, and files of"
          + " otelcol and ROLL."
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
      converter = Usage.NewFile.class,
      description =
          "The new file, which must not exist; .gz compresses it. - is the standard output")
  private Path output = Path.of("");

  private long spans;

  // Made by picocli.
  Merge() {}

  @Override
  public Integer call() throws IOException {
    Destination to = Destination.ofNew(output, Main.of(spec));
    if (to.isThere()) {
      throw new ParameterException(spec.commandLine(), output + " already exists.");
    }
    String name = String.valueOf(output.getFileName());
    if (name.endsWith(ParquetFormat.SUFFIX)) {
      throw new ParameterException(
          spec.commandLine(),
          "merge writes lines of JSON, not Parquet: use export --parquet=" + output + ".");
    }
    input.check(spec.commandLine());
    OutputFile.makeFolderOf(output);
    // Under another name until it is complete: merging the directory that it is in would read it.
    to.write(out -> merge(out, name.endsWith(".gz")));
    if (input.isOfNothing()) {
      return Main.FAILED;
    }
    to.lines().println(to + ": " + Count.text(spans, "span") + "; " + input);
    to.lines().flush();
    return input.hasUnreadableFiles() ? Main.FAILED : 0;
  }

  /** Returns 1 if there was any input: a file without a span is kept as well. */
  private long merge(OutputStream out, boolean isGzip) throws IOException {
    MergedFile file = new MergedFile(out, isGzip);
    input.read(
        (signal, request, n) -> {
          if (signal == Signal.TRACES) {
            file.add(request);
            spans += n;
          }
        },
        Main.of(spec),
        Progress.Unit.WRITTEN);
    file.finish();
    return input.isOfNothing() ? 0 : 1;
  }
}
