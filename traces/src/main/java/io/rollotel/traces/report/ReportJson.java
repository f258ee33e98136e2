package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PathShares;
import io.rollotel.traces.analysis.Problems;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.PrintWriter;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** A report as one JSON object; its keys are those of docs/analysis.md. */
public final class ReportJson {

  public static final JsonFactory JSON =
      JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

  /** Above it, steps do not list their workers: a page of gigabytes serves nobody. */
  private static final long MAX_STEP_WORKERS = 1_000_000;

  private final RunAnalysis run;
  private final Spans spans;
  private final List<RunReport.Run> runs;
  private final ReadSummary summary;
  private final OpenSpans open;
  private final TraceUrlTemplate traceUrls;

  ReportJson(
      RunAnalysis run,
      List<RunReport.Run> runs,
      ReadSummary summary,
      OpenSpans open,
      TraceUrlTemplate traceUrls) {
    this.open = open;
    this.run = run;
    this.spans = run.spans();
    this.runs = runs;
    this.summary = summary;
    this.traceUrls = traceUrls;
  }

  void write(PrintWriter out) {
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      run(json);
      steps(json);
      phases(json);
      path(json);
      names(json);
      workers(json);
      fanOuts(json);
      queues(json);
      agentRuns(json);
      troubles(json);
      openSpans(json);
      skews(json);
      files(json);
      json.writeEndObject();
    }
    out.println();
  }

  private void run(JsonGenerator json) {
    json.writeStringProperty("run", run.runId());
    json.writeNumberProperty("startEpochNanos", run.startEpochNanos());
    json.writeNumberProperty("wallNanos", run.wallNanos());
    json.writeNumberProperty("traces", run.problems().traces());
    json.writeNumberProperty("spans", run.members().length);
    json.writeNumberProperty("errors", run.problems().errors());
    json.writeArrayPropertyStart("runs");
    for (RunReport.Run other : runs) {
      json.writeStartObject();
      json.writeStringProperty("run", other.id());
      json.writeNumberProperty("startEpochNanos", other.startEpochNanos());
      json.writeNumberProperty("spans", other.spans());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void steps(JsonGenerator json) {
    Steps steps = run.steps();
    List<Workers.Worker> workers = run.workers().all();
    boolean withWorkers = (long) steps.all().size() * workers.size() <= MAX_STEP_WORKERS;
    json.writeBooleanProperty("stepsAreTraces", steps.areTraces());
    json.writeNumberProperty("stepWallNanos", steps.wallNanos());
    json.writeNumberProperty("unaccountedNanos", steps.restNanos());
    json.writeArrayPropertyStart("steps");
    for (Steps.Step step : steps.all()) {
      json.writeStartObject();
      json.writeStringProperty("step", step.label());
      span(json, step.span());
      json.writeObjectPropertyStart("phases");
      for (Steps.PhaseTime phase : step.phases()) {
        json.writeNumberProperty(spans.names().text(phase.name()), phase.nanos());
      }
      json.writeEndObject();
      json.writeNumberProperty("unaccountedNanos", step.restNanos());
      if (withWorkers) {
        json.writeArrayPropertyStart("workers");
        for (Workers.Worker worker : workers) {
          stepWorker(json, step, worker);
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void stepWorker(JsonGenerator json, Steps.Step step, Workers.Worker worker) {
    long from = spans.start(step.span());
    long to = spans.end(step.span());
    if (worker.isDriver() || !run.workers().isAlive(worker, from, to)) {
      return;
    }
    long busy = run.workers().busyNanos(worker, from, to);
    json.writeStartObject();
    json.writeStringProperty("instance", worker.process().instanceId());
    json.writeNumberProperty("busyNanos", busy);
    json.writeNumberProperty("idleNanos", to - from - busy);
    json.writeEndObject();
  }

  private void phases(JsonGenerator json) {
    json.writeArrayPropertyStart("phases");
    for (Steps.Phase phase : run.steps().phases()) {
      json.writeStartObject();
      json.writeStringProperty("name", spans.names().text(phase.name()));
      json.writeNumberProperty("steps", phase.steps());
      json.writeNumberProperty("totalNanos", phase.totalNanos());
      json.writeNumberProperty("p50Nanos", phase.medianNanos());
      json.writeNumberProperty("maxNanos", phase.maxNanos());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void path(JsonGenerator json) {
    PathShares path = run.path();
    json.writeObjectPropertyStart("criticalPath");
    json.writeNumberProperty("totalNanos", path.totalNanos());
    json.writeArrayPropertyStart("names");
    for (PathShares.Share share : path.names()) {
      json.writeStartObject();
      json.writeStringProperty("name", spans.names().text(share.number()));
      json.writeNumberProperty("nanos", share.nanos());
      json.writeNumberProperty("share", path.share(share.nanos()));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("workers");
    for (PathShares.Share share : path.processes()) {
      json.writeStartObject();
      process(json, spans.processes().get(share.number()));
      json.writeNumberProperty("nanos", share.nanos());
      json.writeNumberProperty("share", path.share(share.nanos()));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void names(JsonGenerator json) {
    json.writeArrayPropertyStart("names");
    for (NameTotals name : run.nameTotals()) {
      json.writeStartObject();
      json.writeStringProperty("name", name.name());
      json.writeNumberProperty("count", name.count());
      json.writeNumberProperty("totalNanos", name.totalNanos());
      json.writeNumberProperty("selfNanos", name.selfNanos());
      json.writeNumberProperty("meanNanos", name.meanNanos());
      for (int percent : new int[] {50, 95, 99}) {
        json.writeNumberProperty("p" + percent + "Nanos", name.percentile(percent));
      }
      json.writeNumberProperty("maxNanos", name.percentile(100));
      json.writeNumberProperty("errors", name.errors());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void workers(JsonGenerator json) {
    json.writeArrayPropertyStart("workers");
    for (Workers.Worker worker : run.workers().all()) {
      json.writeStartObject();
      process(json, worker.process());
      json.writeStringProperty("host", worker.process().host());
      json.writeStringProperty("pid", worker.process().pid());
      json.writeBooleanProperty("driver", worker.isDriver());
      json.writeNumberProperty("spans", worker.spans());
      json.writeNumberProperty("busyNanos", worker.busyNanos());
      json.writeNumberProperty("idleNanos", worker.idleNanos());
      json.writeNumberProperty("stepWallNanos", worker.stepWallNanos());
      json.writeNumberProperty("stepBusyNanos", worker.stepBusyNanos());
      json.writeNumberProperty("bubbleShare", worker.bubbleShare());
      json.writeNumberProperty(
          "criticalPathNanos", run.path().nanosOfProcess(worker.processNumber()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void process(JsonGenerator json, TracedProcess process) {
    json.writeStringProperty("service", process.serviceName());
    json.writeStringProperty("instance", process.instanceId());
    json.writeStringProperty("rank", process.rank());
  }

  private void fanOuts(JsonGenerator json) {
    json.writeArrayPropertyStart("stragglers");
    for (FanOuts.Totals totals : run.fanOuts()) {
      json.writeStartObject();
      json.writeStringProperty("name", spans.names().text(totals.name()));
      json.writeNumberProperty("fanOuts", totals.fanOuts());
      json.writeNumberProperty("costNanos", totals.costNanos());
      json.writeNumberProperty("lagNanos", totals.lagNanos());
      json.writeBooleanProperty("alwaysTheSame", totals.isAlwaysTheSame());
      json.writeArrayPropertyStart("workers");
      for (FanOuts.Straggler straggler : totals.stragglers()) {
        json.writeStartObject();
        process(json, spans.processes().get(straggler.process()));
        json.writeNumberProperty("timesLast", straggler.times());
        json.writeNumberProperty("costNanos", straggler.costNanos());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeObjectPropertyStart("worst");
      json.writeNumberProperty("costNanos", totals.worst().costNanos());
      span(json, totals.worst().lastSpan());
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void queues(JsonGenerator json) {
    json.writeArrayPropertyStart("queues");
    for (Queues.Totals totals : run.queues()) {
      json.writeStartObject();
      json.writeStringProperty("name", spans.names().text(totals.name()));
      json.writeNumberProperty("count", totals.count());
      json.writeNumberProperty("waitNanos", totals.waitNanos());
      json.writeNumberProperty("workNanos", totals.workNanos());
      json.writeNumberProperty("share", totals.share());
      json.writeNumberProperty("p50Nanos", totals.medianNanos());
      json.writeNumberProperty("p95Nanos", totals.p95Nanos());
      json.writeNumberProperty("maxNanos", totals.maxNanos());
      json.writeNumberProperty("negative", totals.negative());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void agentRuns(JsonGenerator json) {
    json.writeArrayPropertyStart("agentRuns");
    for (AgentRuns.AgentRun one : run.agentRuns().all()) {
      json.writeStartObject();
      json.writeStringProperty("runId", one.id());
      json.writeStringProperty("environment", one.environment());
      json.writeStringProperty("model", one.model());
      json.writeStringProperty("state", one.state().toString());
      if (one.span() >= 0) {
        span(json, one.span());
      } else {
        json.writeNumberProperty("startEpochNanos", one.startEpochNanos());
        json.writeNumberProperty("nanos", one.nanos());
      }
      reward(json, "totalReward", one.totalReward());
      reward(json, "meanReward", one.meanReward());
      reward(json, "bestReward", one.bestReward());
      json.writeArrayPropertyStart("steps");
      for (AgentRuns.Step step : one.steps()) {
        json.writeStartObject();
        json.writeNumberProperty("step", step.number());
        json.writeStringProperty("action", step.action());
        span(json, step.span());
        reward(json, "reward", step.reward());
        reward(json, "cumulativeReward", step.cumulativeReward());
        json.writeBooleanProperty("success", step.isSuccess());
        json.writeBooleanProperty("error", spans.isError(step.span()));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** JSON has no NaN. */
  private static void reward(JsonGenerator json, String key, double reward) {
    if (Double.isFinite(reward)) {
      json.writeNumberProperty(key, reward);
    }
  }

  private void troubles(JsonGenerator json) {
    Problems problems = run.problems();
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
      json.writeObjectPropertyStart("first");
      span(json, failure.firstSpan());
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("unended");
    for (Problems.Unended trace : problems.firstUnended()) {
      json.writeStartObject();
      json.writeNumberProperty("spans", trace.spans());
      json.writeObjectPropertyStart("first");
      span(json, trace.firstSpan());
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberProperty("unendedTraces", problems.unended());
    json.writeNumberProperty("orphanSpans", problems.orphans());
    json.writeNumberProperty("backwardsSpans", problems.backwards());
    json.writeNumberProperty("untimedSpans", problems.untimed());
    json.writeNumberProperty("parentRings", run.tree().rings());
  }

  private void openSpans(JsonGenerator json) {
    json.writeArrayPropertyStart("open");
    for (Recording recording : open.processes()) {
      for (OpenSpan span : recording.open()) {
        json.writeStartObject();
        TracedProcess process = OpenSpans.process(recording);
        json.writeStringProperty("service", process.serviceName());
        json.writeStringProperty("instance", process.instanceId());
        json.writeStringProperty("rank", process.rank());
        json.writeStringProperty("host", process.host());
        json.writeNumberProperty("pid", recording.pid());
        json.writeBooleanProperty("alive", recording.isAlive());
        json.writeNumberProperty("lastSignEpochNanos", recording.lastSignEpochNanos());
        json.writeStringProperty("traceId", span.traceId());
        json.writeStringProperty("spanId", span.spanId());
        json.writeStringProperty("parentSpanId", span.parentSpanId());
        json.writeStringProperty("name", span.name());
        json.writeNumberProperty("startEpochNanos", span.startEpochNanos());
        json.writeNumberProperty("ageNanos", recording.ageNanos(span));
        json.writeNumberProperty("thread", span.threadId());
        json.writeEndObject();
      }
    }
    json.writeEndArray();
    json.writeNumberProperty(
        "unrecordedSpans", open.processes().stream().mapToLong(Recording::unrecordedSpans).sum());
    json.writeNumberProperty(
        "overwrittenSpans", open.processes().stream().mapToLong(Recording::overwrittenSpans).sum());
  }

  private void skews(JsonGenerator json) {
    json.writeArrayPropertyStart("clocks");
    for (ClockSkew.Hosts hosts : run.skews()) {
      json.writeStartObject();
      json.writeStringProperty("host", hosts.second());
      json.writeStringProperty("aheadOf", hosts.first());
      json.writeNumberProperty("pairs", hosts.pairs());
      json.writeNumberProperty("outside", hosts.sticksOut());
      if (hosts.lowNanos() != Long.MIN_VALUE) {
        json.writeNumberProperty("atLeastNanos", hosts.lowNanos());
      }
      if (hosts.highNanos() != Long.MAX_VALUE) {
        json.writeNumberProperty("atMostNanos", hosts.highNanos());
      }
      if (!hosts.isContradictory()) {
        json.writeNumberProperty("estimateNanos", hosts.estimateNanos());
        json.writeNumberProperty("uncertaintyNanos", hosts.uncertaintyNanos());
      }
      json.writeBooleanProperty("skewed", hosts.isSkewed());
      json.writeBooleanProperty("contradictory", hosts.isContradictory());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void files(JsonGenerator json) {
    json.writeObjectPropertyStart("files");
    json.writeNumberProperty("count", summary.files().size());
    json.writeNumberProperty("duplicates", summary.duplicates());
    json.writeNumberProperty("tornLines", summary.tornLines());
    json.writeNumberProperty("unreadableLines", summary.unreadableLines());
    json.writeArrayPropertyStart("unreadable");
    for (UnreadableLine line : summary.firstUnreadable()) {
      json.writeStartObject();
      json.writeStringProperty("file", line.file().toString());
      json.writeNumberProperty("line", line.lineNumber());
      json.writeStringProperty("reason", line.reason());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** What each row that is about one span says of it. */
  private void span(JsonGenerator json, int span) {
    String traceId = spans.traceIdOf(span);
    String spanId = spans.spanId(span);
    json.writeStringProperty("traceId", traceId);
    json.writeStringProperty("spanId", spanId);
    json.writeStringProperty("name", spans.nameOf(span));
    json.writeStringProperty("instance", spans.processOf(span).instanceId());
    json.writeNumberProperty("startEpochNanos", spans.start(span));
    json.writeNumberProperty("nanos", spans.nanos(span));
    String url = traceUrls.url(traceId, spanId);
    if (url != null) {
      json.writeStringProperty("url", url);
    }
  }
}
