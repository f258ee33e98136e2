package io.rollotel.traces.page;

import io.rollotel.traces.analysis.Clocks;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.report.FindingRow;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ProfileRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.TracedProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The page's data as a single JSON object, which its script reads.
 *
 * <p>Names, workers and items are numbers: of the arrays {@code names} and {@code workers} and of
 * the timeline. Durations are nanoseconds, moments nanoseconds since the run's start. A page is
 * limited, so texts are cut and lists are truncated; the report's own JSON has everything.
 */
final class PageJson {

  /** The straggler has a line from this share of the steps' time on. */
  private static final double LEAST_COST = 0.01;

  private static final int RANGES = 5;

  private static final int NAME_TEXT = 2000;

  /** From this number of names or workers on, long texts would fill the page. */
  private static final int MANY = 500;

  private static final int MANY_TEXT = 100;
  private static final int WORKER_TEXT = 200;
  private static final int LISTED = 200;
  private static final int SAVINGS = 5;
  private static final int OTHER_RUNS = 20;

  private final ReportContents contents;
  private final PageRun run;
  private final @Nullable PageBaseline baseline;
  private final @Nullable RunProfile profile;
  private final ReportOptions options;
  private final PageLimits limits;
  private final long leftOutBytes;
  private final PageNumbers numbers;
  private final JsonRows json;

  private PageJson(
      RunReport report,
      PageRun run,
      @Nullable PageBaseline baseline,
      ReportOptions options,
      PageLimits limits,
      long leftOutBytes,
      JsonRows json) {
    this.contents = run.contents();
    this.run = run;
    this.baseline = baseline;
    this.profile = report.profile();
    this.options = options;
    this.limits = limits;
    this.leftOutBytes = leftOutBytes;
    this.numbers = run.numbers();
    this.json = json;
  }

  /**
   * Writes it.
   *
   * @param baseline another run beside which the page shows this one; null for none
   */
  static void write(
      RunReport report,
      @Nullable PageBaseline baseline,
      ReportOptions options,
      PageLimits limits,
      long leftOutBytes,
      JsonGenerator generator,
      PageText out) {
    PageRun run = PageRun.of(report, limits, baseline == null ? 1 : 2);
    JsonRows json = new JsonRows(generator);
    generator.writeStartObject();
    new PageJson(report, run, baseline, options, limits, leftOutBytes, json).write();
    if (baseline != null) {
      json.object("against", () -> baseline.write(json, generator, out));
    }
    json.object("timeline", () -> new PageTimeline(run, limits, out).write(generator));
    generator.writeEndObject();
  }

  /** Writes the data of a run that is needed to draw its steps beside another run's. */
  static void writeBaseline(
      RunReport report, PageLimits limits, JsonGenerator generator, PageText out) {
    PageRun run = PageRun.of(report, limits, 2);
    JsonRows json = new JsonRows(generator);
    PageJson page = new PageJson(report, run, null, ReportOptions.latestRun(), limits, 0, json);
    page.header();
    run.writeSelection(json);
    page.names();
    page.workers();
    new PageSteps(run.contents(), run.numbers(), limits, json).write();
    run.open().write(json, run);
    json.object("timeline", () -> new PageTimeline(run, limits, out).write(generator));
  }

  private void write() {
    header();
    run.writeSelection(json);
    names();
    workers();
    new PageSteps(contents, numbers, limits, json).write();
    new PageHeat(run, limits, json).write();
    new PageRuns(contents, numbers, limits, json).write();
    if (contents.steps().areTraces()) {
      new PageServices(run, json).write();
    }
    path();
    profile();
    json.rows("stragglers", listed(contents.fanOuts()), this::fanOut)
        .rows("queues", listed(contents.queues()), this::queue)
        .rows(
            "savings",
            contents.findings().stream().filter(FindingRow::hasSaving).limit(SAVINGS).toList(),
            this::saving)
        .texts(
            "missingRanks",
            contents.missingRanks().stream().map(ranks -> ranks.inWords(RANGES) + ".").toList())
        .rows("slow", slowWorker(), this::slow)
        .rows(
            "waits",
            contents.findings().stream().filter(FindingRow::isToldWithoutSaving).toList(),
            this::finding);
    problems();
    run.open().write(json, run);
    clocks();
    files();
  }

  private void profile() {
    ProfileRows rows = contents.profile();
    if (rows != null) {
      new PageProfile(rows, contents, numbers, limits)
          .write(json, baseline == null ? null : baseline.report().contents());
    }
    if (profile != null) {
      new PagePauses(profile, contents.totals(), numbers).write(json);
      new PageBreakdowns(profile, contents, run.details(), numbers, run.placed(), run::detailOfRow)
          .write(json);
    }
  }

  private static <T> List<T> listed(List<T> rows) {
    return first(rows, LISTED);
  }

  private static <T> List<T> first(List<T> rows, int most) {
    return rows.subList(0, Math.min(rows.size(), most));
  }

  private void header() {
    ReportContents.Header header = contents.header();
    json.put("run", PageTags.cut(header.runId(), WORKER_TEXT))
        // Too many digits for a number in JavaScript.
        .put("startEpochNanos", Long.toString(header.startEpochNanos()))
        .put("wallNanos", header.wallNanos())
        .put("spans", header.spans())
        .put("processes", header.processes())
        .texts(
            "joinedRuns",
            first(header.joinedRuns(), OTHER_RUNS).stream()
                .map(id -> PageTags.cut(id, WORKER_TEXT))
                .toList());
    if (options.traceUrl() != null) {
      json.put("traceUrl", options.traceUrl());
    }
    if (options.where() != null) {
      json.put("where", options.where().text());
    }
    json.rows(
        "otherRuns",
        first(contents.otherRuns(), OTHER_RUNS),
        run ->
            json.put("run", PageTags.cut(run.id(), WORKER_TEXT))
                .put("startEpochMillis", run.startEpochNanos() / 1_000_000)
                .put("spans", run.spans()));
  }

  private void names() {
    List<ReportContents.NameRow> names = contents.names();
    int text = names.size() > MANY ? MANY_TEXT : NAME_TEXT;
    PageDurations durations = run.durations();
    json.put("namesLeftOut", Math.max(0, names.size() - limits.names()))
        .rows(
            "names",
            first(names, limits.names()),
            name ->
                json.put("name", PageTags.cut(name.name().text(), text))
                    .put("count", name.count())
                    .put("total", name.totalNanos())
                    .put("self", name.selfNanos())
                    .put("mean", name.meanNanos())
                    .put("p50", name.p50Nanos())
                    .put("p95", name.p95Nanos())
                    .put("p99", name.p99Nanos())
                    .put("max", name.maxNanos())
                    .put("errors", name.errors())
                    .array("durations", () -> durations.write(json, name.name().number())));
    run.calls().write(json, contents, numbers, limits);
  }

  private void workers() {
    int text = contents.workers().size() > MANY ? MANY_TEXT / 2 : WORKER_TEXT;
    json.rows("workers", first(contents.workers(), limits.workers()), row -> worker(row, text));
  }

  private void worker(ReportContents.WorkerRow row, int text) {
    Workers.Worker worker = row.worker();
    TracedProcess process = worker.process();
    json.put("service", PageTags.cut(process.serviceName(), text))
        .put("instance", PageTags.cut(process.instanceId(), text))
        .put("rank", PageTags.cut(process.rank(), text))
        .put("host", PageTags.cut(process.host(), text))
        .put("pid", PageTags.cut(process.pid(), text))
        .put("driver", worker.isDriver() && !contents.steps().areTraces()) // services have none
        .put("spans", worker.spans())
        .put("busy", worker.busyNanos())
        .put("work", worker.workNanos())
        .put("idle", worker.idleNanos())
        .put("stepWall", worker.stepWallNanos())
        .put("stepBusy", worker.stepBusyNanos())
        .put("path", row.pathNanos());
  }

  private void path() {
    ReportContents.Path path = contents.path();
    json.object(
        "path",
        () -> {
          json.put("total", path.totalNanos())
              .put("ofRun", path.isOfRun())
              .put("between", path.betweenNanos())
              .array(
                  "names",
                  () -> listed(path.names()).forEach(part -> pair(number(part), part.nanos())))
              .array(
                  "workers",
                  () ->
                      listed(path.processes())
                          .forEach(part -> pair(numbers.worker(part.number()), part.nanos())));
          if (path.waitNanos() > 0) {
            int longest = path.queues().get(0).name().number();
            json.object(
                "waiting",
                () -> json.put("total", path.waitNanos()).put("name", numbers.name(longest)));
          }
        });
  }

  private int number(ReportContents.NameShare part) {
    return numbers.name(part.name().number());
  }

  private void pair(long number, long nanos) {
    json.arrayElement(() -> json.numbers(number, nanos));
  }

  /** At most one. */
  private List<FindingRow> slowWorker() {
    boolean isStragglerTold =
        !contents.fanOuts().isEmpty()
            && contents.fanOuts().get(0).stragglers().get(0).share() >= LEAST_COST;
    FindingRow slow = contents.slowBesideStraggler(isStragglerTold);
    return slow == null ? List.of() : List.of(slow);
  }

  private void slow(FindingRow row) {
    saving(row);
    json.put("words", row.slowInWords(contents.name(row.finding().name())));
  }

  private void saving(FindingRow finding) {
    finding(finding);
    json.put("saves", finding.finding().savesNanos());
  }

  private void finding(FindingRow finding) {
    json.put("text", finding.text())
        .put(
            "item",
            finding.evidence().isEmpty() ? -1 : numbers.item(finding.evidence().get(0).number()));
  }

  private void fanOut(ReportContents.FanOutRow fanOut) {
    json.put("name", numbers.name(fanOut.name().number()))
        .put("fanOuts", fanOut.fanOuts())
        .put("cost", fanOut.costNanos())
        .put("tail", contents.longTail(fanOut.name()))
        .rows(
            "workers",
            listed(fanOut.stragglers()),
            straggler ->
                json.put("worker", numbers.worker(straggler.number()))
                    .put("times", straggler.times())
                    .put("fanOuts", straggler.fanOuts())
                    .put("always", straggler.isAlways())
                    .put("cost", straggler.costNanos())
                    .put("late", straggler.lateNanos()))
        // Of the worker that is named.
        .put("worst", numbers.item(fanOut.stragglers().get(0).worstSpan().number()))
        .put("worstCost", fanOut.stragglers().get(0).worstCostNanos());
  }

  private void queue(ReportContents.QueueRow queue) {
    Queues.Totals totals = queue.totals();
    json.put("name", numbers.name(queue.name().number()))
        .put("count", totals.count())
        .put("dispatches", totals.dispatches())
        .put("dispatch", totals.dispatchNanos())
        .put("wait", totals.waitNanos())
        .put("delay", queue.delayNanos())
        .put("work", totals.workNanos())
        .put("p50", totals.medianNanos())
        .put("p95", totals.p95Nanos())
        .put("max", totals.maxNanos())
        .put("negative", totals.negative());
  }

  private void problems() {
    ReportContents.Header header = contents.header();
    ReportContents.StandsFor standsFor = header.standsFor();
    if (standsFor != null) {
      json.put("standsForTraces", standsFor.traces())
          .put("tracesLow", standsFor.allTraces().low())
          .put("tracesHigh", standsFor.allTraces().high())
          .put("standsForSpans", standsFor.spans())
          .put("spansLow", standsFor.allSpans().low())
          .put("spansHigh", standsFor.allSpans().high());
    }
    json.put("traces", header.traces())
        .put("errors", header.errors())
        .put("errorsBegun", header.errorsBegun())
        .put("unendedTraces", header.unendedTraces())
        .put("orphanSpans", header.orphanSpans())
        .put("droppedSpans", contents.open().dropped())
        .put("backwardsSpans", header.backwardsSpans())
        .put("untimedSpans", header.untimedSpans())
        .put("misdatedSpans", header.misdatedSpans())
        .rows("slowest", contents.slowestSpans(), this::span)
        .rows(
            "failures",
            contents.failures(),
            failure -> {
              json.put("count", failure.count())
                  .put("seen", failure.seen())
                  .put("reason", failure.commonReason());
              span(failure.first());
            });
  }

  private void span(SpanRow span) {
    json.put("item", numbers.item(span.number()))
        .put("name", numbers.name(span.nameNumber()))
        .put("worker", numbers.worker(span.processNumber()))
        .put("nanos", span.nanos());
  }

  private void clocks() {
    Clocks clocks = contents.clocks();
    json.rows(
            "clocks",
            listed(clocks.corrected()),
            shift ->
                json.put("host", PageTags.cut(shift.host(), WORKER_TEXT))
                    .put("of", PageTags.cut(shift.reference(), WORKER_TEXT))
                    .put("nanos", shift.nanos())
                    .put("uncertainty", shift.uncertaintyNanos())
                    .put("atLeast", shift.isAtLeast()))
        .rows(
            "clocksDisagree",
            listed(clocks.disagreeing()),
            hosts ->
                json.put("ahead", PageTags.cut(hosts.ahead(), WORKER_TEXT))
                    .put("behind", PageTags.cut(hosts.behind(), WORKER_TEXT))
                    .put("skewed", hosts.isSkewed() && clocks.correctionNanos(hosts) == 0)
                    .put("nanos", Math.abs(hosts.estimateNanos()))
                    .put("uncertainty", hosts.uncertaintyNanos()))
        .texts(
            "doubtfulHosts",
            listed(clocks.doubtful().stream().sorted().toList()).stream()
                .map(host -> PageTags.cut(host, WORKER_TEXT))
                .toList());
  }

  private void files() {
    json.object(
        "files",
        () ->
            json.put("leftOutBytes", leftOutBytes)
                .put("duplicates", contents.files().duplicates())
                .put("tornLines", contents.files().tornLines())
                .put("unreadableLines", contents.files().unreadableLines())
                .texts(
                    "unreadable",
                    contents.files().firstUnreadable().stream()
                        .map(line -> line.place() + ": " + PageTags.cut(line.reason(), WORKER_TEXT))
                        .toList()));
  }
}
