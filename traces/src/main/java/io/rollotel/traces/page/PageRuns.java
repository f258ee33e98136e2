package io.rollotel.traces.page;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * The page's runs of an agent framework: the latest ones, and of each as many steps as there is
 * room for, those of the latest runs first. A run of very many steps has every n-th and the last.
 */
final class PageRuns {

  private static final int STEPS_OF_A_RUN = 2000;
  private static final int STEPS_PER_RUN = 10;
  private static final int TEXT = 200;
  private static final int MANY_TEXT = 60;
  private static final int MANY = 500;

  private final RunAnalysis run;
  private final Spans spans;
  private final PageSpans placed;
  private final PageLimits limits;

  PageRuns(RunAnalysis run, PageSpans placed, PageLimits limits) {
    this.run = run;
    this.spans = run.spans();
    this.placed = placed;
    this.limits = limits;
  }

  void write(JsonGenerator json) {
    AgentRuns runs = run.agentRuns();
    int leftOut = Math.max(0, runs.all().size() - limits.agentRuns());
    List<AgentRuns.AgentRun> shown = runs.all().subList(leftOut, runs.all().size());
    int[] everyNth = everyNth(shown);
    int text = shown.size() > MANY ? MANY_TEXT : TEXT;
    json.writeObjectPropertyStart("agentRuns");
    json.writeNumberProperty("count", runs.all().size());
    json.writeNumberProperty("completed", runs.count(AgentRuns.State.COMPLETED));
    json.writeNumberProperty("failed", runs.count(AgentRuns.State.FAILED));
    json.writeNumberProperty("steps", runs.steps());
    number(json, "meanReward", runs.meanTotalReward());
    json.writeNumberProperty("leftOut", leftOut);
    json.writeArrayPropertyStart("runs");
    for (int i = 0; i < shown.size(); i++) {
      run(json, shown.get(i), everyNth[i], text);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** For each run which of its steps are on the page: every n-th, or none where n is 0. */
  private int[] everyNth(List<AgentRuns.AgentRun> shown) {
    int[] everyNth = new int[shown.size()];
    int left = STEPS_PER_RUN * limits.agentRuns();
    for (int i = shown.size() - 1; i >= 0 && left > 0; i--) {
      int steps = shown.get(i).steps().size();
      int most = Math.min(left, STEPS_OF_A_RUN);
      everyNth[i] = Math.max(1, (steps + most - 1) / most);
      left -= Math.min(steps, most);
    }
    return everyNth;
  }

  private void run(JsonGenerator json, AgentRuns.AgentRun one, int nth, int text) {
    json.writeStartObject();
    json.writeStringProperty("id", PageTags.cut(one.id(), text));
    json.writeStringProperty("environment", PageTags.cut(one.environment(), text));
    json.writeStringProperty("model", PageTags.cut(one.model(), text));
    json.writeStringProperty("state", one.state().toString());
    json.writeNumberProperty("item", one.span() < 0 ? -1 : placed.item(one.span()));
    json.writeNumberProperty("start", one.startEpochNanos() - run.startEpochNanos());
    json.writeNumberProperty("nanos", one.nanos());
    json.writeNumberProperty("steps", one.steps().size());
    json.writeNumberProperty(
        "errors", one.steps().stream().filter(step -> spans.isError(step.span())).count());
    number(json, "total", one.totalReward());
    number(json, "mean", one.meanReward());
    number(json, "best", one.bestReward());
    json.writeNumberProperty("nth", nth);
    json.writeArrayPropertyStart("shown");
    int count = nth == 0 ? 0 : one.steps().size();
    for (int i = 0; i < count; i++) {
      if (i % nth == 0 || i == count - 1) {
        step(json, one.steps().get(i));
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** What it did, item, number, start, nanos, reward or null, reward so far, 1 for an error. */
  private void step(JsonGenerator json, AgentRuns.Step step) {
    json.writeStartArray();
    json.writeString(PageTags.cut(step.action(), MANY_TEXT));
    json.writeNumber(placed.item(step.span()));
    json.writeNumber(step.number());
    json.writeNumber(spans.start(step.span()) - run.startEpochNanos());
    json.writeNumber(spans.nanos(step.span()));
    if (Double.isFinite(step.reward())) {
      json.writeNumber(step.reward());
    } else {
      json.writeNull();
    }
    json.writeNumber(step.cumulativeReward());
    json.writeNumber(spans.isError(step.span()) ? 1 : 0);
    json.writeEndArray();
  }

  private static void number(JsonGenerator json, String key, double value) {
    if (Double.isFinite(value)) {
      json.writeNumberProperty(key, value);
    } else {
      json.writeNullProperty(key);
    }
  }
}
