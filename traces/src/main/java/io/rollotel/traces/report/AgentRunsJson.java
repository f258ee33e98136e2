package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentActions;
import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.OpenRun;
import io.rollotel.traces.spans.RunFacts;
import io.rollotel.traces.spans.SpanRow;
import java.util.List;

/** The runs of an agent framework in the JSON. */
final class AgentRunsJson {

  private final ReportContents contents;
  private final CommonFields common;
  private final JsonRows json;

  AgentRunsJson(ReportContents contents, CommonFields common, JsonRows json) {
    this.contents = contents;
    this.common = common;
    this.json = json;
  }

  void write() {
    json.rows("agentRuns", contents.agentRuns(), this::run);
    List<AgentActions> actions = contents.totals().agentRuns().actions();
    if (actions.size() > 1) {
      json.rows(
          "agentActions",
          actions,
          action ->
              json.put("action", action.action())
                  .put("count", action.count())
                  .put("totalNanos", action.totalNanos())
                  .put("p95Nanos", action.p95Nanos())
                  .put("errors", action.errors())
                  .putFinite("meanReward", action.meanReward()));
    }
  }

  private void run(ReportContents.AgentRunRow row) {
    AgentRuns.AgentRun run = row.run();
    json.put("runId", run.id())
        .put("environment", run.environment())
        .put("model", run.model())
        .put("state", run.state().toString());
    OpenRun open = run.open();
    if (row.span() != null) {
      common.span(row.span());
      if (run.state() == AgentRuns.State.FAILED) {
        json.put("reason", row.span().failureText());
      }
    } else if (open != null) {
      open(run, open);
    } else {
      json.put("startEpochNanos", run.startEpochNanos()).put("nanos", run.nanos());
    }
    json.putFinite("totalReward", run.totalReward())
        .putFinite("meanReward", run.meanReward())
        .putFinite("bestReward", run.bestReward())
        .rows("steps", run.steps(), this::step);
  }

  private void open(AgentRuns.AgentRun run, OpenRun open) {
    json.put("traceId", open.traceId())
        .put("spanId", open.spanId())
        .put("name", RunFacts.RUN)
        .put("instance", open.process().instanceId())
        .put("startEpochNanos", run.startEpochNanos())
        .put("nanos", run.nanos());
    common.url(open.traceId(), open.spanId());
    json.put("alive", open.isAlive())
        .rows(
            "openSteps",
            open.steps(),
            step ->
                json.put("spanId", step.spanId())
                    .put("startEpochNanos", step.startEpochNanos())
                    .put("ageNanos", step.ageNanos()));
  }

  private void step(AgentRuns.Step step) {
    SpanRow span = contents.span(step.span());
    json.put("step", step.number()).put("action", step.action());
    common.span(span);
    json.putFinite("reward", step.reward())
        .putFinite("cumulativeReward", step.cumulativeReward())
        .put("success", step.isSuccess())
        .put("error", span.isError());
  }
}
