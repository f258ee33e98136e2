package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The top of a report: the three questions, answered in words. */
final class SummaryText {

  private static final int NAME_COLUMNS = 40;
  private static final int LISTED = 5;

  /** The share of the waits in queues from which on the text mentions those for starts. */
  private static final double LEAST_STARTING = 0.1;

  /** The width of share and duration. */
  private static final int SHARE_COLUMNS = 19;

  /** Less work than this share of the steps' time is not worth a line. */
  private static final double LEAST_OUTSIDE = 0.01;

  /** The names of worker methods' spans begin like this unless their annotation gives one. */
  private static final String WORKER_SPAN = "worker.";

  private final ReportContents contents;
  private final ReportContents.StepSummary steps;
  private final ClocksText clocks;
  private final ReportWriter out;

  SummaryText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.steps = contents.steps();
    this.clocks = new ClocksText(contents.clocks(), out);
    this.out = out;
  }

  void print() {
    ReportContents.Header header = contents.header();
    out.sentence(
        "Run %s, started %s, took %s",
        TextFormat.text(header.runId(), FilesText.RUN_ID_COLUMNS),
        TextFormat.start(header.startEpochNanos()),
        TextFormat.duration(header.wallNanos()));
    String errors =
        count(header.errorsBegun(), "error", "errors")
            + (header.errors() == header.errorsBegun()
                ? ""
                : " in " + count(header.errors(), "span", "spans"));
    boolean areAllCounted = header.standsFor() == null || header.errors() == 0;
    out.sentence(
        "  %s, %s, %s%s",
        count(header.traces(), "trace", "traces"),
        count(header.spans(), "span", "spans"),
        count(header.processes(), "process", "processes"),
        areAllCounted ? ", " + errors : "");
    for (String line : new OpenSpansText(contents.open()).ofDead()) {
      out.wrapped(ReportWriter.Colour.BAD, "  " + line);
    }
    for (String line : new OpenSpansText(contents.open()).ofDropped()) {
      out.wrapped(ReportWriter.Colour.BAD, "  " + line);
    }
    if (!header.joinedRuns().isEmpty()) {
      madeOf(header);
    }
    new MixedRunsText(contents, out).print();
    ReportContents.StandsFor standsFor = header.standsFor();
    if (standsFor != null) {
      out.sentence(
          "  sampled: these stand for %s (%d to %d) and %s (%d to %d), with a confidence of"
              + " 95 %%; totals are estimates for all of them%s",
          count(standsFor.traces(), "trace", "traces"),
          standsFor.allTraces().low(),
          standsFor.allTraces().high(),
          count(standsFor.spans(), "span", "spans"),
          standsFor.allSpans().low(),
          standsFor.allSpans().high(),
          areAllCounted ? "" : ", also " + errors);
    }
    double error = contents.totals().percentileError();
    if (error > 0) {
      out.sentence("  percentiles are estimated, within %s", TextFormat.percent(error));
    }
    missing(header);
    new ServicesText(contents, out).printRequests();
    out.println();
    timeSpent();
    out.println();
    criticalPath();
    out.println();
    new BottleneckText(contents, out).print();
    findings();
  }

  private void madeOf(ReportContents.Header header) {
    out.sentence(
        "  with %s, whose processes share its traces: %s on %s",
        listed(header.joinedRuns().stream().map(id -> TextFormat.text(id, 18)).toList()),
        count(header.processes(), "process", "processes"),
        count(header.hosts().size(), "host", "hosts"));
  }

  /** A name in a sentence. */
  private static String name(ReportContents.NameRef name) {
    return TextFormat.spanName(name.text(), NAME_COLUMNS);
  }

  /** The first few of some. */
  private static String listed(List<String> texts) {
    String first = texts.stream().limit(LISTED).collect(Collectors.joining(", "));
    return texts.size() > LISTED ? first + " and " + (texts.size() - LISTED) + " more" : first;
  }

  private void lostCalls(ReportContents.LostCalls calls, ReportContents.Header header) {
    out.sentence(
        "  %s no execution in these files: the worker wrote elsewhere, does not trace, or died before"
            + " the call began",
        count(calls.count(), "call has", "calls have"));
    out.sentence(
        "    called: %s",
        listed(
            calls.names().stream()
                .map(lost -> name(lost.name()) + " (" + lost.count() + ")")
                .toList()));
    out.sentence(
        "    these files are of %s",
        header.hosts().isEmpty()
            ? "unknown hosts"
            : listed(header.hosts().stream().map(host -> TextFormat.name(host, 16)).toList()));
  }

  private void missing(ReportContents.Header header) {
    if (header.unendedTraces() != 0) {
      out.sentence(
          "  %s no root: it had not ended, or was lost",
          count(header.unendedTraces(), "trace has", "traces have"));
    }
    if (steps.virtual() != 0) {
      out.sentence(
          "  %s only as long as what was read of it",
          steps.areTraces()
              ? count(
                  steps.virtual(), "trace without its root is", "traces without a root are each")
              : count(
                  steps.virtual(),
                  "step that has not ended is",
                  "steps that have not ended are each"));
    }
    if (header.orphanSpans() != 0) {
      out.sentence(
          "  %s not in the file",
          count(header.orphanSpans(), "span whose parent is", "spans whose parent is"));
    }
    outside();
    ReportContents.LostCalls lost = contents.lostCalls();
    if (lost != null) {
      lostCalls(lost, header);
    }
    for (MissingRanks missing : contents.missingRanks()) {
      out.sentence("  %s", missing.inWords(LISTED));
    }
    if (header.backwardsSpans() != 0) {
      out.sentence(
          "  %s before the start, counted as 0 ns",
          count(header.backwardsSpans(), "span that ends", "spans that end"));
    }
    if (header.untimedSpans() != 0) {
      out.sentence("  %s without times", count(header.untimedSpans(), "span", "spans"));
    }
    if (header.misdatedSpans() != 0) {
      out.sentence(
          "  %s from the others, counted as 0 ns",
          count(header.misdatedSpans(), "span is years away", "spans are years away"));
    }
    clocks.print();
    if (steps.areTraces()) {
      noSteps();
    }
  }

  /** Work that a step may have waited for, although nothing says so. */
  private void outside() {
    List<ReportContents.WorkRow> rows =
        contents.outside().stream()
            .filter(row -> row.totalNanos() >= LEAST_OUTSIDE * steps.wallNanos())
            .toList();
    if (!rows.isEmpty()) {
      out.wrapped(
          String.format(
              Locale.ROOT,
              "  %s ran between the first step and the last but %s to none, so no step's path has"
                  + " their work: they began without a step's context (docs/troubleshooting.md)",
              listed(rows.stream().map(SummaryText::outside).toList()),
              rows.size() == 1 && rows.get(0).count() == 1 ? "belongs" : "belong"));
    }
  }

  private static String outside(ReportContents.WorkRow row) {
    return String.format(
        Locale.ROOT,
        "%s of %s (%s)",
        count(row.count(), "trace", "traces"),
        name(row.name()),
        TextFormat.duration(row.totalNanos()));
  }

  /** For a pipeline whose loop is traced, but not as steps, or not at all. */
  private void noSteps() {
    Optional<ReportContents.NameRef> loop =
        contents.roots().stream()
            .filter(root -> root.count() > 1 && root.name().text().startsWith(WORKER_SPAN))
            .map(ReportContents.RootRow::name)
            .findFirst();
    if (loop.isPresent()) {
      out.sentence(
          "  no steps: no span has the name pipeline_step, or that of --step; try --step=%s",
          TextFormat.text(loop.get().text(), out.columns()));
    } else if (contents.queues().stream().anyMatch(row -> row.totals().dispatches() > 0)) {
      out.sentence(
          "  no steps: each call on Ray is a trace of its own;"
              + " docs/ray.md says how to make steps of the driver's loop");
    }
  }

  /** The name for steps in a sentence. */
  private String steps(long number) {
    return steps.areTraces() ? count(number, "trace", "traces") : count(number, "step", "steps");
  }

  private String units() {
    return steps.areTraces() ? "traces" : "steps";
  }

  private void timeSpent() {
    heading(
        "Where is the time spent? %s, %s, median %s%s:",
        steps(steps.count()),
        together(),
        TextFormat.duration(steps.medianNanos()),
        steps.perMinute() > 0 ? ", " + TextFormat.rate(steps.perMinute()) : "");
    if (steps.areOverlapping()) {
      overlap();
    }
    betweenSteps();
    List<ReportContents.PhaseRow> phases = steps.phases();
    phases.stream()
        .limit(LISTED)
        .forEach(phase -> shareOfName(phase.share(), phase.totalNanos(), phase.name().text()));
    if (phases.size() > LISTED) {
      List<ReportContents.PhaseRow> others = phases.subList(LISTED, phases.size());
      long nanos = others.stream().mapToLong(ReportContents.PhaseRow::totalNanos).sum();
      share(
          ContentsBuilder.share(nanos, steps.wallNanos()),
          nanos,
          count(others.size(), "other phase", "other phases"));
    }
    share(
        steps.unattributedShare(),
        steps.unattributedNanos(),
        phases.isEmpty()
            ? "unattributed: no " + (steps.areTraces() ? "root" : "step") + " has a child"
            : "unattributed: in no child of the " + (steps.areTraces() ? "root" : "step"));
    clocks.uncertain(phases.stream().anyMatch(phase -> contents.isDoubtful(phase.name())));
  }

  /** The sum of the steps, which exceeds the run's time if several run at once. */
  private String together() {
    String sum = TextFormat.duration(steps.wallNanos());
    boolean isThinned = contents.header().standsFor() != null;
    if (!steps.areTraces() || isThinned || steps.overlap().mostAtOnce() < 2) {
      return sum + " together";
    }
    return sum + " in all, up to " + steps.overlap().mostAtOnce() + " at once";
  }

  /** The time that is in none of the shares that follow. */
  private void betweenSteps() {
    ReportContents.BetweenSteps between = contents.between();
    if (between == null || !between.isMuch()) {
      return;
    }
    List<ReportContents.WorkRow> work = between.most();
    out.sentence(
        "  besides, no step ran for %s, %s of the time from the first to the last%s",
        TextFormat.duration(between.nanos()),
        TextFormat.percent(between.share()),
        work.isEmpty()
            ? ""
            : ": "
                + listed(
                    work.stream()
                        .map(row -> name(row.name()) + " " + TextFormat.duration(row.totalNanos()))
                        .toList()));
  }

  private void overlap() {
    out.sentence(
        "  steps overlap, up to %d at once: they took %s from the first to the last%n    %s",
        steps.overlap().mostAtOnce(),
        TextFormat.duration(steps.overlap().extentNanos()),
        contents.path().isOfRun()
            ? "the critical path and idle times are those of the run"
            : (contents.totals().isWeighted() ? "traces were sampled" : "they were read in parts")
                + ": the critical path is the sum of the paths of all steps");
  }

  private void criticalPath() {
    ReportContents.Path path = contents.path();
    heading(
        "What is the critical path? Time on the critical path of the %s, by span:",
        path.isOfRun() ? "run" : units());
    boolean areWaitsTold = path.waitNanos() == 0;
    for (ReportContents.NameShare part : path.names().stream().limit(LISTED).toList()) {
      if (!areWaitsTold && part.nanos() < path.waitNanos()) {
        waits(ofNames(path));
        areWaitsTold = true;
      }
      shareOfName(part.share(), part.nanos(), part.name().text());
    }
    if (!areWaitsTold) {
      waits(ofNames(path));
    }
    if (path.betweenNanos() > 0) {
      share(
          ContentsBuilder.share(path.betweenNanos(), path.totalNanos()),
          path.betweenNanos(),
          "between one step and the next");
    }
    if (path.processes().size() > 1) {
      out.println("  and by process:");
      path.processes().stream()
          .limit(LISTED)
          .forEach(
              part ->
                  share(
                      part.share(),
                      part.nanos(),
                      TextFormat.process(part.process(), out.columns() - SHARE_COLUMNS)));
      if (path.waitNanos() > 0) {
        waits("no process: queue waits");
      }
    }
    clocks.uncertain(true);
  }

  private String ofNames(ReportContents.Path path) {
    String most = "queue waits, most: " + name(path.queues().get(0).name());
    return path.startingNanos() < LEAST_STARTING * path.waitNanos()
        ? most
        : most + "; " + TextFormat.duration(path.startingNanos()) + " of it while workers started";
  }

  /** The share of the path on which calls waited and nobody worked. */
  private void waits(String what) {
    ReportContents.Path path = contents.path();
    share(ContentsBuilder.share(path.waitNanos(), path.totalNanos()), path.waitNanos(), what);
  }

  private void share(double share, long nanos, String what) {
    out.printf("  %5s  %-9s %s%n", TextFormat.percent(share), TextFormat.duration(nanos), what);
  }

  private void shareOfName(double share, long nanos, String name) {
    share(share, nanos, TextFormat.spanName(name, out.columns() - SHARE_COLUMNS));
  }

  private void heading(String format, Object... parts) {
    out.wrapped(ReportWriter.Colour.HEADING, String.format(Locale.ROOT, format, parts));
  }

  private void findings() {
    List<FindingRow> saving =
        contents.findings().stream().filter(FindingRow::hasSaving).limit(LISTED).toList();
    if (saving.isEmpty()) {
      if (steps.areOverlapping()) {
        out.println();
        heading("What would save time? Not estimated, since the steps overlap");
      }
      return;
    }
    out.println();
    heading("What would save time? Estimated savings for all %s (they overlap):", units());
    for (FindingRow row : saving) {
      out.hanging(
          String.format(
              "  %5s  %-9s %s",
              TextFormat.percent(row.share()),
              TextFormat.duration(row.finding().savesNanos()),
              row.text()),
          " ".repeat(SHARE_COLUMNS + 2));
    }
  }
}
