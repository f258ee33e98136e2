package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs of an agent framework with planted rewards, in the text, the JSON and the page. */
class AgentRunsTest {

  private static final long MS = 1_000_000;

  /** Three runs: one that completes, one that fails in its second step, one that is not ended. */
  private static Planted planted() {
    Planted planted = new Planted().inUnitsOf(MS);
    long one =
        planted.span(
            1,
            0,
            "rlm.run",
            "agent@a",
            0,
            100,
            "rlm.run_id",
            "one",
            "rlm.environment",
            "puzzle",
            "rlm.model",
            "astar",
            "rlm.completed",
            true,
            "rlm.total_steps",
            3L,
            "rlm.total_reward",
            4.5);
    step(planted, 1, one, "one", 2, 40, 90, 3.5, 5.0);
    step(planted, 1, one, "one", 1, 10, 40, 1.5, 1.5);
    step(planted, 1, one, "one", 3, 90, 95, -0.5, 4.5);
    long two =
        planted.span(
            2,
            0,
            "rlm.run",
            "agent@a",
            120,
            150,
            "rlm.run_id",
            "two",
            "rlm.completed",
            false,
            "failure",
            "no way");
    step(planted, 2, two, "two", 1, 121, 130, 0.25, 0.25);
    planted.span(
        2,
        two,
        "rlm.step",
        "agent@a",
        130,
        149,
        "rlm.run_id",
        "two",
        "rlm.step",
        2L,
        "rlm.reward",
        Double.NaN,
        "rlm.success",
        false,
        "failure",
        "wall");
    // Its run is not in the file: whole numbers, and nobody says what was gained so far.
    planted.span(
        3,
        999,
        "rlm.step",
        "agent@a",
        200,
        210,
        "rlm.run_id",
        "three",
        "rlm.step",
        1L,
        "rlm.reward",
        -2L);
    planted.span(
        3,
        999,
        "rlm.step",
        "agent@a",
        210,
        230,
        "rlm.run_id",
        "three",
        "rlm.step",
        2L,
        "rlm.reward",
        3L);
    return planted;
  }

  private static void step(
      Planted planted,
      long trace,
      long run,
      String id,
      long number,
      long start,
      long end,
      double reward,
      double gained) {
    planted.span(
        trace,
        run,
        "rlm.step",
        "agent@a",
        start,
        end,
        "rlm.run_id",
        id,
        "rlm.step",
        number,
        "rlm.action_type",
        "search",
        "rlm.reward",
        reward,
        "rlm.cumulative_reward",
        gained,
        "rlm.success",
        true);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 | one   | completed | 100 | 3 | 4.50 | 1.50 | 3.50 | 1.5 5.0 4.5
          1 | two   | failed    | 30  | 2 | 0.25 | 0.25 | 0.25 | 0.25 0.25
          2 | three | not ended | 30  | 2 | 1.00 | 0.50 | 3.00 | -2.0 1.0
          """)
  void plantedRun_hasItsExactNumbers(
      int at,
      String id,
      String state,
      long millis,
      int steps,
      double total,
      double mean,
      double best,
      String gained) {
    AgentRuns.AgentRun run = planted().analysis().agentRuns().all().get(at);
    assertThat(run.id()).isEqualTo(id);
    assertThat(run.state()).hasToString(state);
    assertThat(run.nanos()).isEqualTo(millis * MS);
    assertThat(run.steps()).hasSize(steps);
    assertThat(run.totalReward()).isEqualTo(total);
    assertThat(run.meanReward()).isCloseTo(mean, within(1e-12));
    assertThat(run.bestReward()).isEqualTo(best);
    assertThat(run.steps().stream().map(AgentRuns.Step::number)).isSorted();
    assertThat(run.steps().stream().map(AgentRuns.Step::cumulativeReward))
        .containsExactly(
            List.of(gained.split(" ")).stream().map(Double::valueOf).toArray(Double[]::new));
  }

  @Test
  void runsOfOneIdInTwoTraces_areTwo() {
    Planted planted = new Planted();
    for (int trace = 1; trace <= 2; trace++) {
      long run = planted.span(trace, 0, "rlm.run", "a@b", 0, 10, "rlm.run_id", "same");
      step(planted, trace, run, "same", 1, 1, 5, trace, trace);
    }
    assertThat(planted.analysis().agentRuns().all())
        .extracting(AgentRuns.AgentRun::totalReward)
        .containsExactlyInAnyOrder(1.0, 2.0);
  }

  @Test
  void text_hasATableOfRuns() {
    assertThat(printed(planted()))
        .contains(
            """
            Runs of an agent: 1 of 3 completed, 7 steps, mean reward 1.92, the best 4.50 of one:
              agent's run             steps  failed  reward  a step  best     took  longest step
              one          completed      3       0    4.50    1.50  3.50   100 ms       50.0 ms
              two          failed         2       1    0.25    0.25  0.25  30.0 ms       19.0 ms
              three        not ended      2       0    1.00    0.50  3.00  30.0 ms       20.0 ms
            """);
  }

  private static String printed(Planted planted) {
    StringWriter text = new StringWriter();
    RunReport.ofNewest(
            List.of(), ReportOptions.latestRun(), spans(planted), new OpenSpans(List.of()))
        .print(new PrintWriter(text));
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private static Spans spans(Planted planted) {
    Spans spans = new Spans(new SpanTags(new PageTags(1 << 20)));
    planted.spans().forEach(spans::add);
    return spans;
  }

  @Test
  void runWithoutAny_hasNoWordOfThem() throws Exception {
    Planted planted = new Planted();
    planted.span(1, 0, "pipeline_step", "a@b", 0, 10, "rlm.run_id", "a name alone makes no run");
    assertThat(printed(planted)).doesNotContain("agent");
    PageReader page = new PageReader(HtmlPage.of(spans(planted), ReportOptions.latestRun()));
    assertThat(((Map<?, ?>) page.report.get("agentRuns")).get("runs")).isEqualTo(List.of());
  }

  @Test
  void json_hasRunsAndSteps() {
    StringWriter text = new StringWriter();
    RunReport.ofNewest(
            List.of(), ReportOptions.latestRun(), spans(planted()), new OpenSpans(List.of()))
        .writeJson(new PrintWriter(text));
    List<?> runs = (List<?>) ((Map<?, ?>) Json.parse(text.toString())).get("agentRuns");
    assertThat(runs).hasSize(3);
    Map<?, ?> one = (Map<?, ?>) runs.get(0);
    assertThat(one.toString())
        .contains("runId=one", "environment=puzzle", "model=astar", "state=completed")
        .contains("traceId=" + "0".repeat(31) + "1", "totalReward=4.5", "meanReward=1.5");
    assertThat(((List<?>) one.get("steps")).get(1).toString())
        .startsWith("{step=2, action=search, traceId=")
        .contains("reward=3.5, cumulativeReward=5.0, success=true, error=false");
    assertThat(runs.get(1).toString()).contains("cumulativeReward=0.25, success=false, error=true");
    assertThat(runs.get(2).toString()).startsWith("{runId=three,");
    assertThat(((Map<?, ?>) runs.get(2)).get("spanId")).isNull();
  }

  @Test
  void page_hasStepsThatLeadToTheirItems() throws Exception {
    PageReader page = new PageReader(HtmlPage.of(spans(planted()), ReportOptions.latestRun()));
    Map<?, ?> runs = (Map<?, ?>) page.report.get("agentRuns");
    Map<?, ?> one = (Map<?, ?>) ((List<?>) runs.get("runs")).get(0);
    List<?> second = (List<?>) ((List<?>) one.get("shown")).get(1);
    PageReader.Item item = page.items.get((int) PageReader.number(second.get(1)));
    assertThat(item.name()).isEqualTo("rlm.step");
    assertThat(item.startNanos()).isEqualTo(40 * MS).isEqualTo(PageReader.number(second.get(3)));
    assertThat(second.toString()).matches("\\[search, \\d+, 2, 40000000, 50000000, 3.5, 5.0, 0]");
  }

  @Test
  void thousandsOfRuns_leaveThePageWithinItsSizeAndSayHowManyAreLeftOut() throws Exception {
    Planted planted = new Planted();
    String text = "\u20ac".repeat(5000);
    for (int i = 0; i < 5000; i++) {
      long run =
          planted.span(
              1 + i,
              0,
              "rlm.run",
              "a@b",
              100L * i,
              100L * i + 90,
              "rlm.run_id",
              i + text,
              "rlm.environment",
              text,
              "rlm.model",
              text,
              "rlm.completed",
              true);
      for (int s = 0; s < (i == 4999 ? 3000 : 12); s++) {
        step(planted, 1 + i, run, i + text, s, 100L * i + s, 100L * i + s + 1, 1, 1 + s);
      }
    }
    PageReader page = new PageReader(HtmlPage.of(spans(planted), ReportOptions.latestRun()));
    Map<?, ?> runs = (Map<?, ?>) page.report.get("agentRuns");
    assertThat(PageReader.number(runs.get("count"))).isEqualTo(5000);
    assertThat(PageReader.number(runs.get("leftOut"))).isEqualTo(3000);
    List<?> shown = (List<?>) runs.get("runs");
    assertThat(shown).hasSize(2000);
    // Of the last every second step, and the last one; of the first none, for want of room.
    List<?> steps = (List<?>) ((Map<?, ?>) shown.get(1999)).get("shown");
    assertThat(steps).hasSize(1501);
    assertThat(((List<?>) steps.get(1500)).get(2).toString()).isEqualTo("2999");
    assertThat((List<?>) ((Map<?, ?>) shown.get(0)).get("shown")).isEmpty();
    int all =
        shown.stream().mapToInt(run -> ((List<?>) ((Map<?, ?>) run).get("shown")).size()).sum();
    assertThat(all).isBetween(15_000, 20_000);
    assertThat(runs.toString().length()).isLessThan(3_000_000);
  }
}
