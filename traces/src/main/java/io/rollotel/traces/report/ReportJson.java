package io.rollotel.traces.report;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.TracedProcess;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** A report as one JSON object; {@link ReportSchema} has its keys. */
final class ReportJson {

  private final ReportContents contents;
  private final @Nullable WhereRows where;
  private final JsonRows json;
  private final CommonFields common;
  private final ClocksJson clocks;

  private ReportJson(
      ReportContents contents,
      @Nullable WhereRows where,
      TraceUrlTemplate traceUrls,
      JsonRows json) {
    this.contents = contents;
    this.where = where;
    this.json = json;
    this.common = new CommonFields(traceUrls, json);
    this.clocks = new ClocksJson(contents, json);
  }

  /**
   * Writes it.
   *
   * @param where the spans that a query matches; null for no query
   */
  static void write(
      ReportContents contents,
      @Nullable WhereRows where,
      TraceUrlTemplate traceUrls,
      PrintWriter out) {
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      new ReportJson(contents, where, traceUrls, new JsonRows(json)).write();
      json.writeEndObject();
    }
    out.println();
  }

  private void write() {
    header();
    if (where != null) {
      where.write(common, json);
    }
    new FindingsJson(contents, common, json).write();
    ProfileRows profile = contents.profile();
    if (profile != null) {
      new ProfileJson(common, json).write(profile);
    }
    new StepsJson(contents, common, json).write();
    path();
    json.rows("roots", contents.roots(), this::root);
    services();
    names();
    json.rows("workers", contents.workers(), this::worker);
    json.rows("workerSpans", WorkerSpanRow.of(contents.totals()), this::workerSpans);
    json.rows("stragglers", contents.fanOuts(), this::fanOut);
    json.rows("queues", contents.queues(), this::queue);
    json.rows(
        "overlappedWork",
        contents.overlapped(),
        row -> {
          json.put("name", row.name().text())
              .put("count", row.count())
              .put("totalNanos", row.totalNanos())
              .object("longest", () -> common.span(row.longest()));
          clocks.mark(row.name());
        });
    json.rows(
        "missingRanks",
        contents.missingRanks(),
        missing ->
            json.put("cluster", missing.cluster())
                .put("worldSize", missing.worldSize())
                .array("ranks", () -> missing.ranks().forEach(json::numbers)));
    json.rows(
        "workOutsideSteps",
        contents.outside(),
        row ->
            json.put("name", row.name().text())
                .put("traces", row.count())
                .put("totalNanos", row.totalNanos())
                .object("longest", () -> common.span(row.longest())));
    new AgentRunsJson(contents, common, json).write();
    problems();
    json.rows("open", contents.open().rows(), this::openSpan)
        .put("unrecordedSpans", contents.open().unrecorded())
        .put("overwrittenSpans", contents.open().overwritten())
        .put("droppedSpans", contents.open().dropped())
        .rows("dropping", contents.open().dropping(), this::dropping);
    clocks.write();
    files();
  }

  private void header() {
    ReportContents.Header header = contents.header();
    json.put("schemaVersion", ReportSchema.VERSION)
        .put("run", header.runId())
        .put("startEpochNanos", header.startEpochNanos())
        .put("wallNanos", header.wallNanos())
        .put("traces", header.traces())
        .put("spans", header.spans())
        .put("errors", header.errors())
        .put("errorsBegun", header.errorsBegun());
    json.texts("joinedRuns", header.joinedRuns()).texts("hosts", header.hosts());
    ReportContents.StandsFor standsFor = header.standsFor();
    if (standsFor != null) {
      json.object(
          "standsFor",
          () ->
              json.put("traces", standsFor.traces())
                  .put("tracesLow", standsFor.allTraces().low())
                  .put("tracesHigh", standsFor.allTraces().high())
                  .put("spans", standsFor.spans())
                  .put("spansLow", standsFor.allSpans().low())
                  .put("spansHigh", standsFor.allSpans().high()));
    }
    if (contents.totals().percentileError() > 0) {
      json.put("percentileError", contents.totals().percentileError());
    }
    json.rows(
        "runs",
        contents.runs(),
        run ->
            json.put("run", run.id())
                .put("startEpochNanos", run.startEpochNanos())
                .put("spans", run.spans())
                .texts("with", run.with()));
  }

  private void path() {
    ReportContents.Path path = contents.path();
    json.object(
        "criticalPath",
        () -> {
          json.put("totalNanos", path.totalNanos());
          if (path.isOfRun()) {
            json.put("ofRun", true).put("betweenStepsNanos", path.betweenNanos());
          }
          if (path.startingNanos() > 0) {
            json.put("startingNanos", path.startingNanos());
          }
          clocks.mark();
          json.rows(
              "names",
              path.names(),
              part ->
                  json.put("name", part.name().text())
                      .put("nanos", part.nanos())
                      .put("share", part.share()));
          json.rows(
              "workers",
              path.processes(),
              part ->
                  common
                      .process(part.process())
                      .put("nanos", part.nanos())
                      .put("share", part.share()));
          json.rows(
              "queues",
              path.queues(),
              part -> {
                json.put("name", part.name().text());
                common
                    .process(part.process())
                    .put("nanos", part.nanos())
                    .put("share", part.share());
              });
        });
  }

  private void names() {
    json.rows(
        "names",
        contents.names(),
        name ->
            json.put("name", name.name().text())
                .put("count", name.count())
                .put("totalNanos", name.totalNanos())
                .put("selfNanos", name.selfNanos())
                .put("meanNanos", name.meanNanos())
                .put("p50Nanos", name.p50Nanos())
                .put("p95Nanos", name.p95Nanos())
                .put("p99Nanos", name.p99Nanos())
                .put("maxNanos", name.maxNanos())
                .put("errors", name.errors()));
  }

  private void root(ReportContents.RootRow root) {
    json.put("name", root.name().text())
        .put("count", root.count())
        .put("perSecond", root.perSecond())
        .put("errors", root.errors())
        .put("errorShare", root.errorShare())
        .put("totalNanos", root.totalNanos())
        .put("p50Nanos", root.p50Nanos())
        .put("p95Nanos", root.p95Nanos())
        .put("p99Nanos", root.p99Nanos())
        .put("maxNanos", root.maxNanos())
        .rows(
            "services",
            root.services(),
            service ->
                json.put("service", service.service())
                    .put("selfNanos", service.selfNanos())
                    .put("selfShare", service.selfShare())
                    .put("criticalPathNanos", service.pathNanos())
                    .put("criticalPathShare", service.pathShare()));
  }

  private void services() {
    ServiceRows rows = contents.serviceRows();
    json.rows(
            "services",
            rows.services(),
            service -> {
              json.put("service", service.service());
              requests(service.requests());
            })
        .rows(
            "serviceCalls",
            rows.calls(),
            calls -> {
              json.put("caller", calls.caller()).put("callee", calls.callee());
              requests(calls.requests());
            });
  }

  private void requests(ServiceRows.Requests requests) {
    json.put("count", requests.count())
        .put("perSecond", requests.perSecond())
        .put("errors", requests.errors())
        .put("errorShare", requests.errorShare())
        .put("p50Nanos", requests.p50Nanos())
        .put("p95Nanos", requests.p95Nanos())
        .put("p99Nanos", requests.p99Nanos())
        .put("maxNanos", requests.maxNanos());
  }

  private void worker(ReportContents.WorkerRow row) {
    Workers.Worker worker = row.worker();
    common
        .process(worker.process())
        .put("host", worker.process().host())
        .put("pid", worker.process().pid())
        .put("driver", worker.isDriver())
        .put("spans", worker.spans())
        .put("busyNanos", worker.busyNanos())
        .put("idleNanos", worker.idleNanos())
        .put("workNanos", worker.workNanos())
        .put("stepWallNanos", worker.stepWallNanos())
        .put("stepBusyNanos", worker.stepBusyNanos())
        .put("bubbleShare", worker.bubbleShare())
        .put("criticalPathNanos", row.pathNanos());
    clocks.mark(contents.isDoubtful(worker.process()));
  }

  private void workerSpans(WorkerSpanRow row) {
    common
        .process(row.process())
        .put("name", row.name().text())
        .put("count", row.count())
        .put("meanNanos", row.meanNanos())
        .put("meanSelfNanos", row.meanSelfNanos())
        .put("p95Nanos", row.p95Nanos());
  }

  private void fanOut(ReportContents.FanOutRow fanOut) {
    json.put("name", fanOut.name().text());
    clocks.mark(fanOut.name());
    json.put("fanOuts", fanOut.fanOuts())
        .put("costNanos", fanOut.costNanos())
        .put("lagNanos", fanOut.lagNanos())
        .put("alwaysTheSame", fanOut.isAlwaysTheSame())
        .rows("workers", fanOut.stragglers(), this::straggler)
        .object(
            "worst",
            () -> {
              json.put("costNanos", fanOut.worstCostNanos());
              common.span(fanOut.worstSpan());
            });
  }

  private void straggler(ReportContents.StragglerRow straggler) {
    common
        .process(straggler.process())
        .put("timesLast", straggler.times())
        .put("fanOuts", straggler.fanOuts())
        .put("costNanos", straggler.costNanos());
    if (straggler.lateNanos() > 0) {
      json.put("sentLastNanos", straggler.lateNanos());
    }
  }

  private void queue(ReportContents.QueueRow queue) {
    Queues.Totals totals = queue.totals();
    json.put("name", queue.name().text()).put("count", totals.count());
    if (totals.dispatches() != 0) {
      json.put("dispatches", totals.dispatches()).put("dispatchNanos", totals.dispatchNanos());
    }
    json.put("waitNanos", totals.waitNanos())
        .put("workNanos", totals.workNanos())
        .put("share", totals.share())
        .put("p50Nanos", totals.medianNanos())
        .put("p95Nanos", totals.p95Nanos())
        .put("maxNanos", totals.maxNanos())
        .put("negative", totals.negative());
    clocks.mark(queue.name());
  }

  private void problems() {
    ReportContents.Header header = contents.header();
    lostCalls();
    json.rows("slowest", contents.slowestSpans(), common::span)
        .rows(
            "failures",
            contents.failures(),
            failure ->
                json.put("count", failure.count())
                    .put("seen", failure.seen())
                    .put("reason", failure.reason())
                    .put("pattern", failure.pattern())
                    .object("first", () -> common.span(failure.first())))
        .rows(
            "unended",
            contents.unended(),
            trace ->
                json.put("spans", trace.spans()).object("first", () -> common.span(trace.first())))
        .put("unendedTraces", header.unendedTraces())
        .put("orphanSpans", header.orphanSpans())
        .put("backwardsSpans", header.backwardsSpans())
        .put("untimedSpans", header.untimedSpans())
        .put("misdatedSpans", header.misdatedSpans())
        .put("parentRings", header.parentRings());
  }

  private void lostCalls() {
    ReportContents.LostCalls lost = contents.lostCalls();
    json.object(
        "missingExecutions",
        () ->
            json.put("count", lost == null ? 0 : lost.count())
                .rows(
                    "names",
                    lost == null ? List.<ReportContents.LostName>of() : lost.names(),
                    name ->
                        json.put("name", name.name().text())
                            .put("count", name.count())
                            .object("first", () -> common.span(name.first()))));
  }

  private void dropping(Recording recording) {
    recorded(OpenSpans.process(recording), recording).put("spans", recording.droppedSpans());
  }

  private JsonRows recorded(TracedProcess process, Recording recording) {
    return common.process(process).put("host", process.host()).put("pid", recording.pid());
  }

  private void openSpan(OpenSpans.Row row) {
    recorded(row.process(), row.recording())
        .put("alive", row.recording().isAlive())
        .put("exited", row.recording().hasExited())
        .put("lastSignEpochNanos", row.recording().lastSignEpochNanos())
        .put("traceId", row.span().traceId())
        .put("spanId", row.span().spanId())
        .put("parentSpanId", row.span().parentSpanId())
        .put("name", row.name())
        .put("startEpochNanos", row.span().startEpochNanos())
        .put("ageNanos", row.ageNanos())
        .put("thread", row.span().threadId());
  }

  private void files() {
    json.object(
        "files",
        () ->
            json.put("count", contents.files().files().size())
                .put("duplicates", contents.files().duplicates())
                .put("tornLines", contents.files().tornLines())
                .put("unreadableLines", contents.files().unreadableLines())
                .rows(
                    "unreadable",
                    contents.files().firstUnreadable(),
                    line ->
                        json.put("file", FilesText.shown(line.file()))
                            .put("line", line.lineNumber())
                            .put("reason", line.reason())));
  }
}
