package io.rollotel.traces.page;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PathShares;
import io.rollotel.traces.analysis.Problems;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * All that the page shows, as the one JSON object which its script reads.
 *
 * <p>Names, workers and items are numbers: of the arrays {@code names} and {@code workers} and of
 * the timeline. Durations are nanoseconds, moments nanoseconds since the run's start. Texts are
 * cut, lists end somewhere: a page has a bound, the report's own JSON has everything.
 */
final class PageJson {

  private static final int NAME_TEXT = 2000;

  /** Of each where there are so many that long ones would fill the page. */
  private static final int MANY = 500;

  private static final int MANY_TEXT = 100;
  private static final int WORKER_TEXT = 200;
  private static final int LISTED = 200;
  private static final int OTHER_RUNS = 20;

  private final RunAnalysis run;
  private final Spans spans;
  private final List<RunReport.Run> runs;
  private final ReadSummary summary;
  private final @Nullable String traceUrl;
  private final PageLimits limits;
  private final long leftOutBytes;
  private final PageText out;
  private final PageSpans placed;
  private final PageOpen open;
  private final int[] nameNumbers;
  private final int[] workerNumbers;

  PageJson(
      RunAnalysis run,
      List<RunReport.Run> runs,
      ReadSummary summary,
      OpenSpans open,
      @Nullable String traceUrl,
      PageLimits limits,
      long leftOutBytes,
      PageText out) {
    this.run = run;
    this.spans = run.spans();
    this.runs = runs;
    this.summary = summary;
    this.traceUrl = traceUrl;
    this.limits = limits;
    this.leftOutBytes = leftOutBytes;
    this.out = out;
    this.placed = new PageSpans(run, limits.items());
    this.nameNumbers = new int[spans.names().size()];
    Arrays.fill(nameNumbers, limits.names());
    List<NameTotals> names = run.nameTotals();
    for (int i = 0; i < Math.min(names.size(), limits.names()); i++) {
      nameNumbers[spans.names().find(names.get(i).name())] = i;
    }
    this.workerNumbers = new int[spans.processes().size()];
    List<Workers.Worker> workers = run.workers().all();
    for (int i = 0; i < workers.size(); i++) {
      workerNumbers[workers.get(i).processNumber()] = i;
    }
    this.open = new PageOpen(run, placed, open, nameNumbers, workerNumbers);
  }

  void write(JsonGenerator json) {
    json.writeStartObject();
    run(json);
    names(json);
    workers(json);
    new PageSteps(run, placed, nameNumbers, limits).write(json);
    new PageRuns(run, placed, limits).write(json);
    path(json);
    fanOuts(json);
    queues(json);
    troubles(json);
    open.write(json);
    clocks(json);
    files(json);
    json.writeObjectPropertyStart("timeline");
    new PageTimeline(run, placed, open, nameNumbers, limits, out).write(json);
    json.writeEndObject();
    json.writeEndObject();
  }

  private void run(JsonGenerator json) {
    json.writeStringProperty("run", PageTags.cut(run.runId(), WORKER_TEXT));
    // Too many digits for a number of JavaScript's.
    json.writeStringProperty("startEpochNanos", Long.toString(run.startEpochNanos()));
    json.writeNumberProperty("wallNanos", run.wallNanos());
    json.writeNumberProperty("spans", run.members().length);
    json.writeNumberProperty("processes", run.workers().all().size());
    if (traceUrl != null) {
      json.writeStringProperty("traceUrl", traceUrl);
    }
    json.writeArrayPropertyStart("otherRuns");
    for (RunReport.Run other :
        runs.stream().filter(other -> !other.id().equals(run.runId())).limit(OTHER_RUNS).toList()) {
      json.writeStartObject();
      json.writeStringProperty("run", PageTags.cut(other.id(), WORKER_TEXT));
      json.writeNumberProperty("startEpochMillis", other.startEpochNanos() / 1_000_000);
      json.writeNumberProperty("spans", other.spans());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void names(JsonGenerator json) {
    List<NameTotals> names = run.nameTotals();
    json.writeNumberProperty("namesLeftOut", Math.max(0, names.size() - limits.names()));
    json.writeArrayPropertyStart("names");
    for (NameTotals name : names.subList(0, Math.min(names.size(), limits.names()))) {
      json.writeStartObject();
      json.writeStringProperty(
          "name", PageTags.cut(name.name(), names.size() > MANY ? MANY_TEXT : NAME_TEXT));
      json.writeNumberProperty("count", name.count());
      json.writeNumberProperty("total", name.totalNanos());
      json.writeNumberProperty("self", name.selfNanos());
      json.writeNumberProperty("mean", name.meanNanos());
      json.writeNumberProperty("p50", name.percentile(50));
      json.writeNumberProperty("p95", name.percentile(95));
      json.writeNumberProperty("p99", name.percentile(99));
      json.writeNumberProperty("max", name.percentile(100));
      json.writeNumberProperty("errors", name.errors());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void workers(JsonGenerator json) {
    List<Workers.Worker> workers = run.workers().all();
    json.writeArrayPropertyStart("workers");
    int text = workers.size() > MANY ? MANY_TEXT / 2 : WORKER_TEXT;
    for (Workers.Worker worker : workers.subList(0, Math.min(workers.size(), limits.workers()))) {
      TracedProcess process = worker.process();
      json.writeStartObject();
      json.writeStringProperty("service", PageTags.cut(process.serviceName(), text));
      json.writeStringProperty("instance", PageTags.cut(process.instanceId(), text));
      json.writeStringProperty("rank", PageTags.cut(process.rank(), text));
      json.writeStringProperty("host", PageTags.cut(process.host(), text));
      json.writeStringProperty("pid", PageTags.cut(process.pid(), text));
      json.writeBooleanProperty("driver", worker.isDriver());
      json.writeNumberProperty("spans", worker.spans());
      json.writeNumberProperty("busy", worker.busyNanos());
      json.writeNumberProperty("idle", worker.idleNanos());
      json.writeNumberProperty("stepWall", worker.stepWallNanos());
      json.writeNumberProperty("stepBusy", worker.stepBusyNanos());
      json.writeNumberProperty("path", run.path().nanosOfProcess(worker.processNumber()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void path(JsonGenerator json) {
    json.writeObjectPropertyStart("path");
    json.writeNumberProperty("total", run.path().totalNanos());
    json.writeArrayPropertyStart("names");
    for (PathShares.Share share : run.path().names().stream().limit(LISTED).toList()) {
      pair(json, nameNumbers[share.number()], share.nanos());
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("workers");
    for (PathShares.Share share : run.path().processes().stream().limit(LISTED).toList()) {
      pair(json, workerNumbers[share.number()], share.nanos());
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void pair(JsonGenerator json, long first, long second) {
    json.writeStartArray();
    json.writeNumber(first);
    json.writeNumber(second);
    json.writeEndArray();
  }

  private void fanOuts(JsonGenerator json) {
    json.writeArrayPropertyStart("stragglers");
    for (FanOuts.Totals totals : run.fanOuts().stream().limit(LISTED).toList()) {
      json.writeStartObject();
      json.writeNumberProperty("name", nameNumbers[totals.name()]);
      json.writeNumberProperty("fanOuts", totals.fanOuts());
      json.writeNumberProperty("cost", totals.costNanos());
      json.writeBooleanProperty("alwaysTheSame", totals.isAlwaysTheSame());
      json.writeArrayPropertyStart("workers");
      for (FanOuts.Straggler straggler : totals.stragglers().stream().limit(LISTED).toList()) {
        json.writeStartObject();
        json.writeNumberProperty("worker", workerNumbers[straggler.process()]);
        json.writeNumberProperty("times", straggler.times());
        json.writeNumberProperty("cost", straggler.costNanos());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberProperty("worst", placed.item(totals.worst().lastSpan()));
      json.writeNumberProperty("worstCost", totals.worst().costNanos());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void queues(JsonGenerator json) {
    json.writeArrayPropertyStart("queues");
    for (Queues.Totals totals : run.queues().stream().limit(LISTED).toList()) {
      json.writeStartObject();
      json.writeNumberProperty("name", nameNumbers[totals.name()]);
      json.writeNumberProperty("count", totals.count());
      json.writeNumberProperty("wait", totals.waitNanos());
      json.writeNumberProperty("work", totals.workNanos());
      json.writeNumberProperty("p50", totals.medianNanos());
      json.writeNumberProperty("p95", totals.p95Nanos());
      json.writeNumberProperty("max", totals.maxNanos());
      json.writeNumberProperty("negative", totals.negative());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void troubles(JsonGenerator json) {
    Problems problems = run.problems();
    json.writeNumberProperty("traces", problems.traces());
    json.writeNumberProperty("errors", problems.errors());
    json.writeNumberProperty("unendedTraces", problems.unended());
    json.writeNumberProperty("orphanSpans", problems.orphans());
    json.writeNumberProperty("backwardsSpans", problems.backwards());
    json.writeNumberProperty("untimedSpans", problems.untimed());
    json.writeArrayPropertyStart("slowest");
    for (int span : run.slowestSpans()) {
      json.writeStartObject();
      span(json, span);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("failures");
    for (Problems.Failure failure : problems.failures()) {
      json.writeStartObject();
      json.writeNumberProperty("count", failure.count());
      json.writeStringProperty("reason", spans.failureText(failure.failure()));
      span(json, failure.firstSpan());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void span(JsonGenerator json, int span) {
    json.writeNumberProperty("item", placed.item(span));
    json.writeNumberProperty("name", nameNumbers[spans.name(span)]);
    json.writeNumberProperty("worker", workerNumbers[spans.process(span)]);
    json.writeNumberProperty("nanos", spans.nanos(span));
  }

  private void clocks(JsonGenerator json) {
    json.writeArrayPropertyStart("clocks");
    for (ClockSkew.Hosts hosts :
        run.skews().stream().filter(ClockSkew.Hosts::isSkewed).limit(LISTED).toList()) {
      boolean isAhead = hosts.estimateNanos() > 0;
      json.writeStartObject();
      json.writeStringProperty(
          "ahead", PageTags.cut(isAhead ? hosts.second() : hosts.first(), WORKER_TEXT));
      json.writeStringProperty(
          "behind", PageTags.cut(isAhead ? hosts.first() : hosts.second(), WORKER_TEXT));
      json.writeNumberProperty("nanos", Math.abs(hosts.estimateNanos()));
      json.writeNumberProperty("uncertainty", hosts.uncertaintyNanos());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void files(JsonGenerator json) {
    json.writeObjectPropertyStart("files");
    json.writeNumberProperty("leftOutBytes", leftOutBytes);
    json.writeNumberProperty("duplicates", summary.duplicates());
    json.writeNumberProperty("tornLines", summary.tornLines());
    json.writeNumberProperty("unreadableLines", summary.unreadableLines());
    json.writeArrayPropertyStart("unreadable");
    for (UnreadableLine line : summary.firstUnreadable()) {
      json.writeString(
          line.file().getFileName()
              + ", line "
              + line.lineNumber()
              + ": "
              + PageTags.cut(line.reason(), WORKER_TEXT));
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
