package io.rollotel.traces.page;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.SpanRow;
import java.util.List;

/**
 * The page's runs of an agent framework: the latest ones, and as many of their steps as there is
 * room for, those of the latest runs first. For a run with very many steps, every n-th step and the
 * last one are shown.
 */
final class PageRuns {

  private static final int STEPS_OF_A_RUN = 2000;
  private static final int STEPS_PER_RUN = 10;
  private static final int TEXT = 200;
  private static final int MANY_TEXT = 60;
  private static final int MANY = 500;

  private final ReportContents contents;
  private final PageNumbers numbers;
  private final PageLimits limits;
  private final JsonRows json;

  PageRuns(ReportContents contents, PageNumbers numbers, PageLimits limits, JsonRows json) {
    this.contents = contents;
    this.numbers = numbers;
    this.limits = limits;
    this.json = json;
  }

  void write() {
    AgentRuns runs = contents.totals().agentRuns();
    List<ReportContents.AgentRunRow> all = contents.agentRuns();
    int leftOut = Math.max(0, all.size() - limits.agentRuns());
    List<ReportContents.AgentRunRow> listed = all.subList(leftOut, all.size());
    int text = listed.size() > MANY ? MANY_TEXT : TEXT;
    int[] steps = listed.stream().mapToInt(row -> row.run().steps().size()).toArray();
    int[] everyNth = everyNth(steps, STEPS_PER_RUN * limits.agentRuns());
    json.object(
        "agentRuns",
        () ->
            json.put("count", all.size())
                .put("completed", runs.count(AgentRuns.State.COMPLETED))
                .put("failed", runs.count(AgentRuns.State.FAILED))
                .put("steps", runs.steps())
                .putOrNull("meanReward", runs.meanTotalReward())
                .put("rewarded", runs.rewarded())
                .put("leftOut", leftOut)
                .array(
                    "runs",
                    () -> {
                      for (int i = 0; i < listed.size(); i++) {
                        ReportContents.AgentRunRow row = listed.get(i);
                        int nth = everyNth[i];
                        json.objectElement(() -> run(row, nth, text));
                      }
                    }));
  }

  /**
   * For each run, which of its steps are on the page: every n-th, or none if n is 0.
   *
   * @param steps the number of each run's steps
   * @param room how many steps fit on the page
   */
  static int[] everyNth(int[] steps, int room) {
    int[] everyNth = new int[steps.length];
    int left = room;
    for (int i = steps.length - 1; i >= 0 && left > 0; i--) {
      int most = Math.min(left, STEPS_OF_A_RUN);
      everyNth[i] = Math.max(1, (steps[i] + most - 1) / most);
      left -= Math.min(steps[i], most);
    }
    return everyNth;
  }

  private void run(ReportContents.AgentRunRow row, int nth, int text) {
    AgentRuns.AgentRun run = row.run();
    json.put("id", PageTags.cut(run.label(), text))
        .put("environment", PageTags.cut(run.environment(), text))
        .put("model", PageTags.cut(run.model(), text))
        .put("state", run.state().toString())
        .put("item", row.span() == null ? -1 : numbers.item(row.span().number()))
        .put("start", run.startEpochNanos() - contents.header().startEpochNanos())
        .put("nanos", run.nanos())
        .put("steps", run.steps().size())
        .put("errors", row.failedSteps())
        .putOrNull("total", run.totalReward())
        .putOrNull("mean", run.meanReward())
        .putOrNull("best", run.bestReward())
        .put("nth", nth)
        .array("shown", () -> steps(run.steps(), nth));
  }

  private void steps(List<AgentRuns.Step> steps, int nth) {
    for (int i = 0; nth != 0 && i < steps.size(); i++) {
      if (i % nth == 0 || i == steps.size() - 1) {
        AgentRuns.Step step = steps.get(i);
        json.arrayElement(() -> step(step));
      }
    }
  }

  /** What it did, item, number, start, nanos, reward or null, reward so far, 1 for an error. */
  private void step(AgentRuns.Step step) {
    SpanRow span = contents.span(step.span());
    json.text(PageTags.cut(step.action(), MANY_TEXT));
    json.numbers(
        numbers.item(step.span()),
        step.number(),
        span.startEpochNanos() - contents.header().startEpochNanos(),
        span.nanos());
    json.number(step.reward());
    json.number(step.cumulativeReward());
    json.numbers(span.isError() ? 1 : 0);
  }
}
