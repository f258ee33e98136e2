package io.rollotel.traces.cli;

import io.rollotel.traces.cli.choice.WhereChoice;
import io.rollotel.traces.export.Export;
import io.rollotel.traces.export.ParquetExport;
import io.rollotel.traces.export.ProfileExport;
import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.ForeignFiles;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.ReportWriter;
import io.rollotel.traces.report.RunReport;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code export}: a run for other tools. */
@Command(
    name = "export",
    customSynopsis = {
      "export [-hV] (--csv=FILE | --jaeger=FILE | --perfetto=FILE) [--raw-cells] [--where=QUERY]"
          + " [--run=ID] [DIR...]",
      "export --parquet=FILE [--where=QUERY] [--run=ID] [DIR...]",
      "export (--collapsed=FILE | --speedscope=FILE | --pprof=FILE) [--critical-path] [--name=NAME]"
          + " [--worker=W] [--step=STEP] [--run=ID] [DIR...]"
    },
    description = "Writes a run in the format of another tool.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ExportCommand implements Callable<Integer> {

  /** About 3 million spans, in lines. */
  private static final long MOST_BYTES_OF_PARQUET = 1300L << 20;

  /** About 300,000 spans, in lines. */
  private static final long MOST_BYTES_OF_OTHERS = 128L << 20;

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private RunChoice run = new RunChoice();

  @Mixin private WhereChoice where = new WhereChoice();

  @ArgGroup(multiplicity = "1")
  private OutputChoice output = new OutputChoice();

  @Option(
      names = "--raw-cells",
      description =
          "With --csv: writes cells as they were recorded. Otherwise cells that a spreadsheet"
              + " would read as formulas start with an apostrophe, and control characters are"
              + " escaped")
  private boolean isRaw;

  @Option(names = "--critical-path", description = "For a profile: only the critical path")
  private boolean isPathOnly;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "For a profile: only spans of" + " this name")
  private @Nullable String name;

  @Option(
      names = "--worker",
      paramLabel = "W",
      description = "For a profile: only this process, by its instance or its rank")
  private @Nullable String worker;

  @Option(
      names = "--step",
      paramLabel = "STEP",
      description = "For a profile: only this step, by its global_step")
  private @Nullable String step;

  /** What to write, and where. */
  private static final class OutputChoice {

    @Option(
        names = "--csv",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description = "One row for each span. With any format, - is the standard output")
    private @Nullable Path csv;

    @Option(
        names = "--jaeger",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description = "JSON for Jaeger's user interface")
    private @Nullable Path jaeger;

    @Option(
        names = "--perfetto",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description = "JSON for Perfetto (ui.perfetto.dev) and chrome://tracing")
    private @Nullable Path perfetto;

    @Option(
        names = "--parquet",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description =
            "One row for each span with everything that was recorded, for DuckDB, Spark and"
                + " other engines. Contains all runs unless --run names one. report, merge,"
                + " replay, validate and export can read the file")
    private @Nullable Path parquet;

    @Option(
        names = "--collapsed",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description = "The profile as collapsed stacks, for flame graph tools")
    private @Nullable Path collapsed;

    @Option(
        names = "--speedscope",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description = "The profile as JSON for speedscope.app")
    private @Nullable Path speedscope;

    @Option(
        names = "--pprof",
        paramLabel = "FILE",
        converter = Usage.NewFile.class,
        description = "The profile for go tool pprof")
    private @Nullable Path pprof;
  }

  // Made by picocli.
  ExportCommand() {}

  @Override
  public Integer call() throws IOException {
    boolean isOfProfile =
        output.collapsed != null || output.speedscope != null || output.pprof != null;
    if (!isOfProfile && (isPathOnly || name != null || worker != null || step != null)) {
      throw new ParameterException(
          spec.commandLine(),
          "--critical-path, --name, --worker and --step go with --collapsed, --speedscope and"
              + " --pprof alone.");
    }
    if (isOfProfile && where.isGiven()) {
      throw new ParameterException(
          spec.commandLine(), "--where goes with --csv, --jaeger, --perfetto and --parquet alone.");
    }
    if (output.csv != null) {
      return write(isRaw ? Export.Format.RAW_CSV : Export.Format.CSV, output.csv);
    }
    if (isRaw) {
      throw new ParameterException(spec.commandLine(), "--raw-cells goes with --csv alone.");
    }
    if (output.collapsed != null) {
      return write(ProfileExport.Format.COLLAPSED, output.collapsed);
    }
    if (output.speedscope != null) {
      return write(ProfileExport.Format.SPEEDSCOPE, output.speedscope);
    }
    if (output.pprof != null) {
      return write(ProfileExport.Format.PPROF, output.pprof);
    }
    if (output.jaeger != null) {
      return write(Export.Format.JAEGER, output.jaeger);
    }
    if (output.perfetto != null) {
      return write(Export.Format.PERFETTO, output.perfetto);
    }
    if (output.parquet != null) {
      return writeParquet(output.parquet);
    }
    throw new IllegalStateException("picocli asks for one");
  }

  /** Where it goes; refuses to replace a file. */
  private Destination destination(Path file) {
    Destination to = Destination.ofNew(file, Main.of(spec));
    if (to.isThere()) {
      throw new ParameterException(spec.commandLine(), file + " already exists.");
    }
    return to;
  }

  private int write(ProfileExport.Format format, Path file) throws IOException {
    Destination to = destination(file);
    compileLess();
    ProfileExport export = ProfileExport.read(run.dirs(), run.options(Main.of(spec)));
    PrintWriter err = spec.commandLine().getErr();
    if (export.report().isEmpty()) {
      export.report().print(Main.of(spec).errors());
      return Main.FAILED;
    }
    if (!export.hasProfile()) {
      err.println("The run has no profile: ROLL_OTEL_PROFILE=on records one.");
      return Main.FAILED;
    }
    ProfileExport.Selection selection = new ProfileExport.Selection(name, worker, step, isPathOnly);
    long nanos = to.write(out -> export.write(format, selection, out));
    if (nanos == 0) {
      err.println("The profile has no time for the requested spans: " + file + " is not written.");
      return Main.FAILED;
    }
    export.report().printLeftOut(Main.of(spec).errors());
    to.lines().printf(Locale.ROOT, "%.1f s of spans written to %s%n", nanos / 1e9, to);
    to.lines().flush();
    return 0;
  }

  /** A pipe would have no spans at the second reading. */
  private void refusePipes() throws IOException {
    for (Path dir : run.dirs()) {
      PipeInput.refuse(spec.commandLine(), dir, "--parquet with --where or --run", "");
    }
  }

  /** Says that there are none, and why; a second reading of a pipe would wait for a writer. */
  private void printNoSpans(ReportOptions options) throws IOException {
    List<Path> dirs = run.dirs();
    if (dirs.stream().anyMatch(PipeInput::isOne)) {
      String names = dirs.stream().map(Path::toString).collect(Collectors.joining(", "));
      Main.of(spec).errorLines().println("No spans found in " + names + ".");
    } else {
      RunReport.read(dirs, options).print(Main.of(spec).errors());
    }
  }

  private int writeParquet(Path file) throws IOException {
    Destination to = destination(file);
    ParquetExport export = ParquetExport.ofAll();
    ReportOptions options = run.options(Main.of(spec)).withWhere(where.query());
    if (run.id() != null || where.isGiven()) {
      refusePipes();
      RunReport chosen = ParquetExport.read(run.dirs(), options);
      if (chosen.isEmpty()) {
        chosen.print(Main.of(spec).errors());
        return Main.FAILED;
      }
      export = ParquetExport.of(chosen, options);
    } else {
      compileParquetLess();
    }
    ParquetExport of = export;
    long spans = to.write(out -> writeParquet(of, out));
    if (spans == 0 && !where.isGiven()) {
      printNoSpans(options);
      return Main.FAILED;
    }
    PrintWriter out = to.lines();
    out.println(
        spans == 0
            ? "No span matches, and " + to + " is not written"
            : Count.text(spans, "span") + " written to " + to + "; " + export);
    if (spans > ParquetExport.REMEMBERED) {
      out.printf(
          Locale.ROOT,
          "Duplicates more than %,d spans apart are kept.%n",
          2 * ParquetExport.REMEMBERED);
    }
    out.flush();
    return 0;
  }

  /** Unless there is so much to write that it costs more than it saves. */
  private void compileParquetLess() throws IOException {
    if (bytes() < MOST_BYTES_OF_PARQUET) {
      CompilerDirective.excludeParquet();
    }
  }

  private void compileLess() throws IOException {
    if (bytes() < MOST_BYTES_OF_OTHERS) {
      CompilerDirective.compileLess();
    }
  }

  private long bytes() throws IOException {
    long bytes = 0;
    for (Path dir : run.dirs()) {
      bytes += TracesReader.bytes(dir);
    }
    return bytes;
  }

  private long writeParquet(ParquetExport export, OutputStream out) throws IOException {
    Main main = Main.of(spec);
    Progress progress = main.progress(Progress.Unit.WRITTEN);
    ForeignFiles foreign = new ForeignFiles();
    try {
      return export.write(
          run.dirs(),
          out,
          line -> {
            UnreadableLine judged = foreign.judged(line);
            if (judged != null) {
              progress.hide();
              main.errors().println(MergedInput.left(judged));
            }
          },
          spans -> progress.reached(spans, 0));
    } finally {
      progress.end();
    }
  }

  /** On stderr. */
  private void notes(Export export) {
    ReportWriter err = Main.of(spec).errors();
    export.report().printLeftOut(err);
    int undated = export.undated();
    if (undated != 0) {
      err.sentence(
          "%s without credible times %s left out",
          Count.text(undated, "span"), undated == 1 ? "is" : "are");
    }
    String clocks = export.clocksText();
    if (clocks != null) {
      err.sentence("%s", clocks);
    }
    err.flush();
  }

  private int write(Export.Format format, Path file) throws IOException {
    Destination to = destination(file);
    compileLess();
    Export export =
        Export.read(run.dirs(), run.options(Main.of(spec)).withWhere(where.query()), format);
    if (export.report().isEmpty()) {
      export.report().print(Main.of(spec).errors());
      return Main.FAILED;
    }
    // Without a span as well, it has a heading.
    long spans = to.write(out -> 1L + export.write(out)) - 1;
    notes(export);
    int others = export.report().otherRuns();
    String ofRun = others == 0 ? "" : " of run " + export.report().runId();
    String left =
        others == 0
            ? ""
            : "; "
                + (others == 1 ? "1 other run is" : others + " other runs are")
                + " left out (--run=ID)";
    to.lines().println(Count.text(spans, "span") + ofRun + " written to " + to + left);
    to.lines().flush();
    return 0;
  }
}
