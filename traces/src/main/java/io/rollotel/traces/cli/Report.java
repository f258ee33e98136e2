package io.rollotel.traces.cli;

import io.rollotel.traces.analysis.Gate;
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
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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
      "Exit codes: 0 success; 1 nothing was found, or it cannot be read; 2 wrong usage; 3 slower"
          + " than --against by the percentage of --fail-on-regression or more; 4 too few steps"
          + " or values to tell."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Report implements Callable<Integer> {

  /** The exit code if a run got slower than allowed. */
  private static final int REGRESSION = 3;

  /** The exit code if there are too few values to decide. */
  private static final int TOO_FEW = 4;

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private RunChoice run = new RunChoice();

  @Mixin private WhereChoice where = new WhereChoice();

  @Option(names = "--json", description = "Prints the whole report as one JSON object")
  private boolean isJson;

  @Option(names = "--json-schema", description = "Prints the JSON Schema of the output of --json")
  private boolean isSchema;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Writes the whole report as a self-contained page for a browser")
  private @Nullable Path html;

  @Option(
      names = "--open",
      description = "Opens the page in a browser; without --html, a temporary file")
  private boolean isOpened;

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

  @Option(
      names = "--fail-on-regression",
      paramLabel = "PCT",
      description =
          "Exits with 3 if something got slower by this percentage or more, and with 4 if there"
              + " is too little data to tell. The last line says what it was")
  private @Nullable Double maxPercent;

  @Option(
      names = "--fail-on",
      paramLabel = "WHAT",
      description =
          "What --fail-on-regression checks: any (everything, the default) or steps (only whole"
              + " steps)")
  private Gate.@Nullable Scope failOn;

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
  private List<Path> allDirs() {
    boolean isElsewhere = against != null && Files.exists(Path.of(against));
    return isElsewhere
        ? Stream.concat(run.dirs().stream(), Stream.of(Path.of(against))).toList()
        : run.dirs();
  }

  private Integer report() throws IOException {
    if (isSchema) {
      return schema();
    }
    if (maxPercent != null && against == null) {
      throw new ParameterException(spec.commandLine(), "--fail-on-regression needs --against.");
    }
    if (failOn != null && maxPercent == null) {
      throw new ParameterException(spec.commandLine(), "--fail-on needs --fail-on-regression.");
    }
    if (traceId != null && (against != null || isJson)) {
      throw new ParameterException(
          spec.commandLine(), "--trace goes with neither --json nor --against.");
    }
    if (isOfRuns && (traceId != null || against != null || run.id() != null)) {
      throw new ParameterException(
          spec.commandLine(), "--runs goes with none of --run, --trace, --against.");
    }
    if (isWithPages && (!isOfRuns || html == null)) {
      throw new ParameterException(spec.commandLine(), "--pages needs --runs and --html.");
    }
    boolean isOther = traceId != null || isOfRuns || (against != null && html == null && !isOpened);
    if (where.isGiven() && isOther) {
      throw new ParameterException(
          spec.commandLine(),
          "--where goes with neither --trace nor --runs; with --against only where a page is"
              + " written.");
    }
    if (html != null || isOpened) {
      if (traceId != null || isJson) {
        throw new ParameterException(
            spec.commandLine(), "--html and --open go with neither --json nor --trace.");
      }
      return isOfRuns ? pageOfRuns() : page();
    }
    RunReport report = read(run.dirs(), options(), cache);
    if (report.isEmpty()) {
      report.print(Main.of(spec).errors());
      return Main.FAILED;
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
      report.writeJson(spec.commandLine().getOut());
    } else {
      report.print(Main.of(spec).output(colouring));
    }
    String complaint = analysis.complaint(report.contents());
    if (complaint != null) {
      spec.commandLine().getErr().println(complaint);
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
      runs.writeJson(spec.commandLine().getOut());
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
    PrintWriter out = spec.commandLine().getOut();
    out.print(ReportSchema.text());
    out.flush();
    return 0;
  }

  private int page() throws IOException {
    LargeRuns.Purpose purpose =
        against == null ? LargeRuns.Purpose.PAGE : LargeRuns.Purpose.COMPARISON;
    HtmlPage page = page(purpose);
    if (page.report().isEmpty()) {
      page.report().print(Main.of(spec).errors());
      return Main.FAILED;
    }
    if (against == null) {
      return write(page);
    }
    RunReport before = baseline(page.report(), against);
    if (before == null) {
      return Main.FAILED;
    }
    ComparisonReport comparison = page.report().against(before);
    Objects.requireNonNull(reading).endProgress();
    comparison.print(Main.of(spec).output(colouring));
    spec.commandLine().getOut().println();
    int written = write(page.against(before, comparison));
    return written != 0 || maxPercent == null ? written : rule(comparison, maxPercent);
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
    Path file = pageFile();
    RunPages pages = new RunPages(report.allRuns(), run.dirs(), html);
    if (any != null) {
      pages.writeEach(any, Objects.requireNonNull(reading), spec.commandLine().getOut());
    }
    return write(file, pages::write);
  }

  private Path pageFile() throws IOException {
    return html != null ? html : Files.createTempFile("roll-otel-", ".html");
  }

  /** Writes a page. */
  private interface Content {
    void write(OutputStream to) throws IOException;
  }

  private int write(HtmlPage page) throws IOException {
    return write(pageFile(), page::write);
  }

  private int write(Path file, Content page) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    OutputFile.makeFolderOf(file);
    try (OutputStream to = OutputFile.open(file)) {
      page.write(to);
    }
    Objects.requireNonNull(reading).endProgress();
    out.printf(
        Locale.ROOT,
        "The page: %s (%.1f MB)%n",
        file.toAbsolutePath().normalize(),
        Files.size(file) / 1e6);
    out.flush();
    if (isOpened && !Browser.open(file.toAbsolutePath().normalize().toUri())) {
      spec.commandLine().getErr().println("No browser could be started here: open it yourself.");
      return Main.FAILED;
    }
    return 0;
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
    spec.commandLine().getErr().println("The run has no trace " + id + ".");
    return Main.FAILED;
  }

  /** The run to compare with; null if there is none, after an error message. */
  private @Nullable RunReport baseline(RunReport report, String id) throws IOException {
    if (Files.exists(Path.of(id))) {
      RunReport before =
          read(
              List.of(Path.of(id)),
              options().withRun(null).withWhere(null),
              cache == null ? null : cacheOfBaseline(cache));
      if (before.isEmpty()) {
        before.print(Main.of(spec).errors());
        return null;
      }
      return before;
    }
    if (report.hasRun(id)) {
      return report.ofRun(id);
    }
    throw new NoSuchFileException(id + ", nor a run with that id");
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
      comparison.writeJson(spec.commandLine().getOut());
    } else {
      comparison.print(Main.of(spec).output(colouring));
    }
    return maxPercent == null ? 0 : rule(comparison, maxPercent);
  }

  /**
   * The exit code of the gate. The last line gives the reason; with JSON, it goes to the other
   * stream.
   */
  private int rule(ComparisonReport comparison, double percent) {
    Gate gate = new Gate(failOn == null ? Gate.Scope.ANY : failOn, percent);
    Gate.Ruling ruling = comparison.rule(gate);
    if (ruling.outcome() == Gate.Outcome.PASSED) {
      return 0;
    }
    int code = ruling.outcome() == Gate.Outcome.SLOWER ? REGRESSION : TOO_FEW;
    PrintWriter to = isJson ? spec.commandLine().getErr() : spec.commandLine().getOut();
    if (!isJson) {
      to.println();
    }
    to.println("Exit code " + code + ": " + comparison.inWords(ruling, percent));
    to.flush();
    return code;
  }
}
