package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The top of a report: the three questions, answered in words. */
final class SummaryText {

  private static final int NAME_COLUMNS = 40;
  private static final int LISTED = 5;

  /** The width of share and duration. */
  private static final int SHARE_COLUMNS = 19;

  /** Less than this many times the median counts as usual. */
  static final double STANDS_OUT = 1.1;

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
    out.sentence(
        "  %s, %s, %s, %s",
        count(header.traces(), "trace", "traces"),
        count(header.spans(), "span", "spans"),
        count(header.processes(), "process", "processes"),
        count(header.errorsBegun(), "error", "errors")
            + (header.errors() == header.errorsBegun()
                ? ""
                : " in " + count(header.errors(), "span", "spans")));
    for (String line : new OpenSpansText(contents.open()).ofDead()) {
      out.wrapped(ReportWriter.Colour.BAD, "  " + line);
    }
    if (!header.joinedRuns().isEmpty()) {
      madeOf(header);
    }
    ReportContents.StandsFor standsFor = header.standsFor();
    if (standsFor != null) {
      out.sentence(
          "  thinned out: these stand for %s (%d to %d) and %s (%d to %d), with a confidence of"
              + " 95 %%; totals are estimates for all of them",
          count(standsFor.traces(), "trace", "traces"),
          standsFor.allTraces().low(),
          standsFor.allTraces().high(),
          count(standsFor.spans(), "span", "spans"),
          standsFor.allSpans().low(),
          standsFor.allSpans().high());
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
    bottleneck();
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
        "  %s no execution in these files: their workers wrote elsewhere, or do not trace",
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
    ReportContents.LostCalls lost = contents.lostCalls();
    if (lost != null) {
      lostCalls(lost, header);
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
        steps.perMinute() > 0 ? ", " + TextFormat.number(steps.perMinute()) + " a minute" : "");
    if (steps.areOverlapping()) {
      overlap();
    }
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
        steps.unaccountedShare(),
        steps.unaccountedNanos(),
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

  private void overlap() {
    out.sentence(
        "  steps overlap, up to %d at once: they took %s from the first to the last%n    %s",
        steps.overlap().mostAtOnce(),
        TextFormat.duration(steps.overlap().extentNanos()),
        contents.path().isOfRun()
            ? "the critical path and idle times are those of the run"
            : (contents.totals().isWeighted()
                    ? "traces were thinned out"
                    : "they were read in parts")
                + ": the critical path is the sum of the paths of all steps");
  }

  private void criticalPath() {
    ReportContents.Path path = contents.path();
    heading(
        "What is the critical path? Time on the critical path of the %s, by span:",
        path.isOfRun() ? "run" : units());
    path.names().stream()
        .limit(LISTED)
        .forEach(part -> shareOfName(part.share(), part.nanos(), part.name().text()));
    if (path.waitNanos() > 0) {
      ReportContents.QueueShare longest = path.queues().get(0);
      share(
          ContentsBuilder.share(path.waitNanos(), path.totalNanos()),
          path.waitNanos(),
          "queue waits, most: " + name(longest.name()));
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
                      TextFormat.text(part.process().label(), out.columns() - SHARE_COLUMNS)));
    }
    clocks.uncertain(true);
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

  private void bottleneck() {
    heading(
        "Which %s is the bottleneck?", steps.areTraces() ? "trace or process" : "step or worker");
    slowestStep();
    straggler();
    if (!steps.areTraces()) {
      bubble(); // between requests, a service is idle
    }
    queue();
    overlapped();
    clocks.uncertain(true);
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

  private void slowestStep() {
    if (steps.slowest().isEmpty()) {
      out.println("  nothing that has a time was recorded");
      return;
    }
    Steps.Step slowest = steps.slowest().get(0);
    if (steps.slowestTimesMedian() < STANDS_OUT) {
      out.sentence(
          "  no %s stands out: the longest took %s",
          steps.areTraces() ? "trace" : "step", TextFormat.duration(slowest.wallNanos()));
      return;
    }
    String traceId = contents.span(slowest.span()).traceId();
    String which =
        steps.areTraces()
            ? "trace " + traceId
            : slowest.label().isEmpty()
                ? "the step of trace " + traceId
                : "step " + TextFormat.text(slowest.label(), NAME_COLUMNS);
    out.sentence(
        "  %s took longest: %s, %.1f times the median",
        which, TextFormat.duration(slowest.wallNanos()), steps.slowestTimesMedian());
  }

  private void straggler() {
    if (contents.fanOuts().isEmpty()) {
      return;
    }
    ReportContents.FanOutRow worst = contents.fanOuts().get(0);
    ReportContents.StragglerRow first = worst.stragglers().get(0);
    // The next to last was almost as late, and half of them had ended long before.
    boolean isOneOfSeveral = worst.isAlwaysTheSame() && 10 * worst.costNanos() < worst.lagNanos();
    out.sentence(
        "  %s was last in %d of %s of %s%s,%n    and %s waited %s for it (%s of %s time)",
        TextFormat.text(first.process().label(), NAME_COLUMNS),
        first.times(),
        count(worst.fanOuts(), "fan-out", "fan-outs"),
        name(worst.name()),
        worst.isAlwaysTheSame() ? ", always" : "",
        isOneOfSeveral ? "half of the workers" : "the other workers",
        TextFormat.duration(isOneOfSeveral ? worst.lagNanos() : first.costNanos()),
        TextFormat.percent(
            isOneOfSeveral
                ? ContentsBuilder.share(worst.lagNanos(), steps.wallNanos())
                : first.share()),
        steps.areTraces() ? "trace" : "step");
  }

  private void bubble() {
    Workers.Idle idle = contents.idleWorkers();
    if (idle == null) {
      return;
    }
    out.sentence(
        "  %s %s idle for %s of step time, most of all%n    %s, for %s",
        count(idle.workers(), "worker", "workers"),
        idle.workers() == 1 ? "was" : "were",
        TextFormat.percent(idle.share()),
        TextFormat.text(idle.idlest().process().label(), NAME_COLUMNS),
        TextFormat.percent(idle.idlest().bubbleShare()));
  }

  private void queue() {
    if (contents.queues().isEmpty()) {
      return;
    }
    ReportContents.QueueRow longest = contents.queues().get(0);
    out.sentence(
        "  calls of %s waited %s in queues before they worked %s",
        name(longest.name()),
        TextFormat.duration(longest.totals().waitNanos()),
        TextFormat.duration(longest.totals().workNanos()));
  }

  private void overlapped() {
    if (contents.overlapped().isEmpty()) {
      return;
    }
    ReportContents.OverlappedRow most = contents.overlapped().get(0);
    out.sentence(
        "  no step waited for %s of %s (%s), which outlived the step: not on the path",
        count(most.count(), "span", "spans"),
        name(most.name()),
        TextFormat.duration(most.totalNanos()));
  }
}
