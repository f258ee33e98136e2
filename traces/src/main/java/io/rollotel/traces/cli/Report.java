package io.rollotel.traces.cli;

import io.rollotel.traces.cli.choice.AnalysisChoice;
import io.rollotel.traces.cli.choice.WhereChoice;
import io.rollotel.traces.page.HtmlPage;
import io.rollotel.traces.report.ComparisonReport;
import io.rollotel.traces.report.LargeRuns;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.ReportSchema;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.report.RunsReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code report}: where the time of a run went. */
@Command(
    name = "report",
    customSynopsis = {
      "report [-hV] [--run=ID] [--json] [--trace=ID] [--where=QUERY] [--step=NAME]"
          + " [--no-clock-correction] [--cache=DIR] [--html=FILE] [--open] [--runs [--pages]]"
          + " [--against=RUN [--fail-on-regression=PCT [--fail-on=WHAT]]]"
          + " [--color=WHEN] [--width=N] [DIR...]",
      "report --json-schema"
    },
    description = {
      "Shows where the time of a run went, its critical path, and its bottleneck.",
      "docs/analysis.md explains the terms."
    },
    footer = {
      "",
      "Set ROLL_OTEL_TRACE_URL_TEMPLATE, with {trace_id}, {span_id} or {traceparent} in it, to"
          + " add links to a trace viewer to the rows of --json.",
      "",
      "Exit codes: 0 success, also if all spans are still open; 1 nothing was found, or it cannot"
          + " be read; 2 wrong usage; 3 slower than --against by the percentage of --fail-on-regression or more; 4 too few steps"
          + " or values to tell."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Report implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private RunChoice run = new RunChoice();

  @Mixin private WhereChoice where = new WhereChoice();

  @Option(names = "--json", description = "Prints the whole report as one JSON object")
  private boolean isJson;

  @Option(names = "--json-schema", description = "Prints the JSON Schema of the output of --json")
  private boolean isSchema;

  @Mixin private PageChoice page = new PageChoice();

  @Option(
      names = "--trace",
      paramLabel = "ID",
      description = "Shows one trace instead of the run; the first digits of its ID are enough")
  private @Nullable String traceId;

  @Option(
      names = "--runs",
      description =
          "Shows all runs in DIR side by side instead of one: when they started, how long they"
              + " took, how they ended, and whether steps got slower from one run to the next")
  private boolean isOfRuns;

  @Option(
      names = "--pages",
      description =
          "With --runs and --html: also writes a page for each of the latest 20 runs, named"
              + " run-ID.html, next to the page of all runs, which links to them")
  private boolean isWithPages;

  @Mixin private AnalysisChoice analysis = new AnalysisChoice();

  @Option(
      names = "--against",
      paramLabel = "RUN",
      description =
          "Compares with another run, and shows what got slower or faster. RUN is a directory, a"
              + " file, or the ID of a run in DIR. A page shows both runs")
  private @Nullable String against;

  @Mixin private GateChoice gate = new GateChoice();

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      defaultValue = "auto",
      description =
          "always, never, or auto (on a terminal, unless NO_COLOR is set); default:"
              + " ${DEFAULT-VALUE}")
  private Colouring colouring = Colouring.AUTO;

  @Option(
      names = "--cache",
      paramLabel = "DIR",
      description =
          "Stores what was read in files in DIR. The next report reads only what is new, and the"
              + " run may"
              + " be larger than memory. Without this option, a run that does not fit into"
              + " memory is cached in report-cache next to its files. The run of --against"
              + " is cached in DIR-against")
  private @Nullable Path cache;

  private @Nullable RunReading reading;

  // Made by picocli.
  Report() {}

  @Override
  public Integer call() throws IOException {
    CompilerDirective.compileLess();
    try (RunReading opened = new RunReading(Main.of(spec), allDirs())) {
      reading = opened;
      try {
        return report();
      } catch (UncheckedIOException e) {
        throw e.getCause();
      } catch (OutOfMemoryError e) {
        throw new IOException(opened.tooLittleMemory(), e);
      }
    }
  }

  /** The directories to read, including that of {@code --against}. */
  private List<Path> allDirs() throws IOException {
    Path other = against == null ? null : placeOf(against);
    return other == null
        ? run.dirs()
        : Stream.concat(run.dirs().stream(), Stream.of(other)).toList();
  }

  private Integer report() throws IOException {
    if (isSchema) {
      return schema();
    }
    gate.check(against != null);
    if (traceId != null && (against != null || isJson)) {
      throw new ParameterException(
          spec.commandLine(), "--trace goes with neither --json nor --against.");
    }
    if (isOfRuns && (traceId != null || against != null || run.id() != null)) {
      throw new ParameterException(
          spec.commandLine(), "--runs goes with none of --run, --trace, --against.");
    }
    if (isWithPages && (!isOfRuns || page.named() == null)) {
      throw new ParameterException(spec.commandLine(), "--pages needs --runs and --html.");
    }
    page.check(isWithPages);
    boolean isOther = traceId != null || isOfRuns || (against != null && !page.isGiven());
    if (where.isGiven() && isOther) {
      throw new ParameterException(
          spec.commandLine(),
          "--where goes with neither --trace nor --runs; with --against only where a page is"
              + " written.");
    }
    if (page.isGiven()) {
      if (traceId != null || isJson) {
        throw new ParameterException(
            spec.commandLine(), "--html and --open go with neither --json nor --trace.");
      }
      return isOfRuns ? pageOfRuns() : pageOfRun();
    }
    RunReport report = read(run.dirs(), options(), cache);
    if (report.isEmpty()) {
      return noneEnded(report);
    }
    if (isOfRuns) {
      return runs(report.allRuns());
    }
    if (against != null) {
      return compare(report, against);
    }
    if (traceId != null) {
      return trace(report, traceId);
    }
    if (isJson) {
      report.writeJson(Main.of(spec).json());
    } else {
      report.print(Main.of(spec).output(colouring));
    }
    String complaint = analysis.complaint(report.contents());
    if (complaint != null) {
      spec.commandLine().getErr().println(complaint);
    }
    return 0;
  }

  /** Without a span that has ended: shows those that are open, if there are any. */
  private int noneEnded(RunReport report) {
    if (!report.isOpen() || against != null || isOfRuns) {
      report.print(Main.of(spec).errors());
      return Main.FAILED;
    }
    if (traceId != null) {
      return trace(report, traceId);
    }
    if (isJson) {
      report.writeJson(Main.of(spec).json());
    } else {
      report.print(Main.of(spec).output(colouring));
    }
    return 0;
  }

  private RunReport read(List<Path> dirs, ReportOptions options, @Nullable Path cacheDir)
      throws IOException {
    return Objects.requireNonNull(reading).read(dirs, options, purpose(), cacheDir);
  }

  private LargeRuns.Purpose purpose() {
    if (against != null) {
      return LargeRuns.Purpose.COMPARISON;
    }
    if (isOfRuns) {
      return LargeRuns.Purpose.RUNS;
    }
    return traceId != null ? LargeRuns.Purpose.TRACE : LargeRuns.Purpose.CONTENTS;
  }

  private int runs(RunsReport runs) {
    if (isJson) {
      runs.writeJson(Main.of(spec).json());
    } else {
      runs.print(Main.of(spec).output(colouring));
    }
    return 0;
  }

  private int schema() {
    if (spec.commandLine().getParseResult().matchedArgs().size() > 1) {
      throw new ParameterException(
          spec.commandLine(), "--json-schema cannot be combined with other options.");
    }
    PrintWriter out = Main.of(spec).json();
    out.print(ReportSchema.text());
    out.flush();
    return 0;
  }

  private int pageOfRun() throws IOException {
    LargeRuns.Purpose purpose =
        against == null ? LargeRuns.Purpose.PAGE : LargeRuns.Purpose.COMPARISON;
    HtmlPage ofRun = page(purpose);
    if (ofRun.report().isEmpty()) {
      ofRun.report().print(Main.of(spec).errors());
      return Main.FAILED;
    }
    if (against == null) {
      return write(ofRun);
    }
    RunReport before = baseline(ofRun.report(), against);
    if (before == null) {
      return Main.FAILED;
    }
    ComparisonReport comparison = ofRun.report().against(before);
    Objects.requireNonNull(reading).endProgress();
    if (page.isPrinted()) {
      comparison.print(Main.of(spec).errors());
    } else {
      comparison.print(Main.of(spec).output(colouring));
      spec.commandLine().getOut().println();
    }
    int written = write(ofRun.against(before, comparison));
    return written != 0 ? written : gate.rule(comparison, page.isPrinted());
  }

  private HtmlPage page(LargeRuns.Purpose purpose) throws IOException {
    return Objects.requireNonNull(reading).page(run.dirs(), options(), purpose, cache);
  }

  private int pageOfRuns() throws IOException {
    // Attributes are only for the pages of single runs.
    HtmlPage any = isWithPages ? page(LargeRuns.Purpose.PAGE) : null;
    RunReport report = any == null ? read(run.dirs(), options(), cache) : any.report();
    if (report.isEmpty()) {
      report.print(Main.of(spec).errors());
      return Main.FAILED;
    }
    RunPages pages = new RunPages(report.allRuns(), run.dirs(), page.named(), Main.of(spec));
    if (any != null) {
      pages.writeEach(any, Objects.requireNonNull(reading), spec.commandLine().getOut());
    }
    return page.write(pages::write, Objects.requireNonNull(reading));
  }

  private int write(HtmlPage ofRun) throws IOException {
    return page.write(ofRun::write, Objects.requireNonNull(reading));
  }

  private ReportOptions options() {
    return analysis
        .in(run.options(Main.of(spec)))
        .withTraceUrl(traceUrl())
        .withWhere(where.query());
  }

  private static @Nullable String traceUrl() {
    String template = System.getenv("ROLL_OTEL_TRACE_URL_TEMPLATE");
    if (template == null || template.isBlank()) {
      template = System.getProperty("roll.otel.trace.url.template");
    }
    return template == null || template.isBlank() ? null : template.trim();
  }

  private int trace(RunReport report, String id) {
    if (report.printTrace(id.toLowerCase(Locale.ROOT), Main.of(spec).output(colouring))) {
      return 0;
    }
    String other = report.runWithTrace();
    spec.commandLine()
        .getErr()
        .println(
            "The run has no trace "
                + id
                + (other == null ? "." : ", but another run has it: --run=" + other + "."));
    return Main.FAILED;
  }

  /** A file or a directory; null if it is none, and may be the ID of a run. */
  private static @Nullable Path placeOf(String baseline) {
    try {
      Path place = Path.of(baseline);
      return Files.exists(place) ? place : null;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** The run to compare with; null if there is none, after an error message. */
  private @Nullable RunReport baseline(RunReport report, String id) throws IOException {
    Path place = placeOf(id);
    if (place != null) {
      RunReport before =
          read(
              List.of(place),
              options().withRun(null).withWhere(null),
              cache == null ? null : cacheOfBaseline(cache));
      if (before.isEmpty()) {
        before.print(Main.of(spec).errors());
        return null;
      }
      return isOnlyPlace(place) ? other(before, report) : before;
    }
    if (report.hasRun(id)) {
      return other(report.ofRun(id), report);
    }
    throw new NoSuchFileException(id + ", nor a run with that id");
  }

  private boolean isOnlyPlace(Path place) throws IOException {
    return run.dirs().size() == 1 && Files.isSameFile(place, run.dirs().get(0));
  }

  /** A gate would always pass, for example if the latest run has recorded nothing. */
  private static RunReport other(RunReport before, RunReport report) throws IOException {
    if (before.runId().equals(report.runId())) {
      throw new IOException(
          "Run "
              + report.runId()
              + " would be compared with itself. --run and --against take two different runs;"
              + " without --run it is the latest.");
    }
    return before;
  }

  private static Path cacheOfBaseline(Path cache) {
    Path whole = cache.toAbsolutePath().normalize();
    return whole.resolveSibling(whole.getFileName() + "-against");
  }

  private int compare(RunReport report, String baseline) throws IOException {
    RunReport before = baseline(report, baseline);
    if (before == null) {
      return Main.FAILED;
    }
    ComparisonReport comparison = report.against(before);
    if (isJson) {
      comparison.writeJson(Main.of(spec).json());
    } else {
      comparison.print(Main.of(spec).output(colouring));
    }
    return gate.rule(comparison, isJson);
  }
}
