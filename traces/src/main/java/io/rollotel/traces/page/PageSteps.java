package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** The page's steps over time: bars of one step each, or of several where there are many. */
final class PageSteps {

  private static final int LISTED = 20;
  private static final int PHASES = 12;

  /** How finely it shows who idled when. */
  private static final int IDLE_COLUMNS = 240;

  private static final int IDLE_WORKERS = 64;

  private final RunAnalysis run;
  private final Spans spans;
  private final PageSpans placed;
  private final int[] nameNumbers;
  private final PageLimits limits;
  private final List<Steps.Step> steps;

  PageSteps(RunAnalysis run, PageSpans placed, int[] nameNumbers, PageLimits limits) {
    this.run = run;
    this.spans = run.spans();
    this.placed = placed;
    this.nameNumbers = nameNumbers;
    this.limits = limits;
    this.steps = run.steps().all();
  }

  void write(JsonGenerator json) {
    json.writeObjectPropertyStart("steps");
    json.writeBooleanProperty("areTraces", run.steps().areTraces());
    json.writeNumberProperty("count", steps.size());
    json.writeNumberProperty("wall", run.steps().wallNanos());
    json.writeNumberProperty("rest", run.steps().restNanos());
    json.writeNumberProperty("median", run.steps().medianWallNanos());
    phases(json);
    int together = (steps.size() + limits.steps() - 1) / limits.steps();
    json.writeNumberProperty("together", Math.max(1, together));
    json.writeArrayPropertyStart("bars");
    for (int from = 0; from < steps.size(); from += together) {
      bar(json, steps.subList(from, Math.min(steps.size(), from + together)));
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("slowest");
    List<Steps.Step> slowest =
        steps.stream()
            .sorted((a, b) -> Long.compare(b.wallNanos(), a.wallNanos()))
            .limit(LISTED)
            .toList();
    for (Steps.Step step : slowest) {
      bar(json, List.of(step));
    }
    json.writeEndArray();
    idle(json);
    json.writeEndObject();
  }

  private void phases(JsonGenerator json) {
    json.writeArrayPropertyStart("phases");
    for (Steps.Phase phase : run.steps().phases().stream().limit(10L * PHASES).toList()) {
      json.writeStartObject();
      json.writeNumberProperty("name", nameNumbers[phase.name()]);
      json.writeNumberProperty("steps", phase.steps());
      json.writeNumberProperty("total", phase.totalNanos());
      json.writeNumberProperty("p50", phase.medianNanos());
      json.writeNumberProperty("max", phase.maxNanos());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** What the steps of a bar have together; its label and item are the longest one's. */
  private void bar(JsonGenerator json, List<Steps.Step> together) {
    Map<Integer, Long> phases = new HashMap<>();
    Steps.Step longest = together.get(0);
    long wall = 0;
    for (Steps.Step step : together) {
      longest = step.wallNanos() > longest.wallNanos() ? step : longest;
      wall += step.wallNanos();
      step.phases().forEach(phase -> phases.merge(phase.name(), phase.nanos(), Long::sum));
    }
    json.writeStartObject();
    json.writeStringProperty("label", PageTags.cut(longest.label(), 40));
    json.writeNumberProperty("item", placed.item(longest.span()));
    json.writeNumberProperty("start", spans.start(together.get(0).span()) - run.startEpochNanos());
    json.writeNumberProperty("steps", together.size());
    json.writeNumberProperty("wall", wall);
    json.writeArrayPropertyStart("phases");
    phases.entrySet().stream()
        .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed())
        .limit(PHASES)
        .forEach(
            phase -> {
              json.writeNumber(nameNumbers[phase.getKey()]);
              json.writeNumber(phase.getValue());
            });
    json.writeEndArray();
    json.writeEndObject();
  }

  /** By worker and stretch of steps the idle percents, -1 where it had no part in them. */
  private void idle(JsonGenerator json) {
    List<Workers.Worker> workers = run.workers().all();
    int together = Math.max(1, (steps.size() + IDLE_COLUMNS - 1) / IDLE_COLUMNS);
    json.writeNumberProperty("idleTogether", together);
    json.writeArrayPropertyStart("idle");
    for (int number = 0; number < Math.min(workers.size(), IDLE_WORKERS); number++) {
      Workers.Worker worker = workers.get(number);
      if (worker.isDriver()) {
        continue;
      }
      json.writeStartObject();
      json.writeNumberProperty("worker", number);
      json.writeArrayPropertyStart("percents");
      for (int from = 0; from < steps.size(); from += together) {
        json.writeNumber(
            idlePercent(worker, steps.subList(from, Math.min(steps.size(), from + together))));
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private int idlePercent(Workers.Worker worker, List<Steps.Step> together) {
    long wall = 0;
    long busy = 0;
    for (Steps.Step step : together) {
      long from = spans.start(step.span());
      long to = spans.end(step.span());
      if (run.workers().isAlive(worker, from, to)) {
        wall += to - from;
        busy += run.workers().busyNanos(worker, from, to);
      }
    }
    return wall == 0 ? -1 : (int) Math.round(100.0 * (wall - busy) / wall);
  }
}
