package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedAgentRuns;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of an agent framework in the text and the JSON. */
class AgentRunsReportTest {

  @Test
  void text_hasATableOfRuns() {
    assertThat(printed(PlantedAgentRuns.three()))
        .contains(
            """
            Runs of an agent: 1 of 3 completed, 1 failed, 1 not ended, 7 steps, mean reward 1.92 over all 3, the
                best 4.50 of one:
              1 failed: no way
              agent's run             steps  failed  reward  a step  best     took  longest step
              one          completed      3       0    4.50    1.50  3.50   100 ms       50.0 ms
              two          failed         2       1    0.25    0.25  0.25  30.0 ms       19.0 ms
              three        not ended      2       0    1.00    0.50  3.00  30.0 ms       20.0 ms
            """);
  }

  /** The sentence begins with completed runs; the mean is of others as well, but not of all. */
  @ParameterizedTest
  @CsvSource({
    "1, 0, 0, 'mean reward 3.00, the best 3.00 of'",
    "2, 1, 0, 'mean reward 2.00 over all 3, the best 3.00 of'",
    "2, 1, 4, 'mean reward 2.00 over the 3 with one, the best 3.00 of'",
  })
  void meanReward_isSaidToBeOfRunsThatDidNotCompleteAsWell(
      int completed, int failed, int without, String words) {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    for (int i = 0; i < completed + failed + without; i++) {
      List<Object> more = new ArrayList<>(List.of("rlm.run_id", "run" + i));
      more.addAll(List.of("rlm.completed", i < completed));
      if (i < completed + failed) {
        more.addAll(List.of("rlm.total_reward", i < completed ? 3.0 : 0.0));
      }
      planted.span(i + 1, 0, "rlm.run", "a@a", 10 * i, 10 * i + 9, more.toArray());
    }
    assertThat(printed(planted).replaceAll("\\s+", " ")).contains(words);
  }

  @Test
  void runWithoutAny_hasNoWordOfThem() {
    Planted planted = new Planted();
    planted.span(1, 0, "pipeline_step", "a@b", 0, 10, "rlm.run_id", "a name alone makes no run");
    assertThat(printed(planted)).doesNotContain("agent");
  }

  @Test
  void json_hasRunsAndSteps() {
    StringWriter text = new StringWriter();
    report(PlantedAgentRuns.three()).writeJson(new PrintWriter(text));
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

  /** The end of the JVM closed it at 900, long after its last step. */
  @Test
  void runThatNobodyEnded_lastsUntilItsLastStepEnded() {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    for (int run = 1; run <= 3; run++) {
      boolean isEnded = run != 2;
      long root =
          planted.span(run, 0, "rlm.run", "agent@node", 0, isEnded ? 50 : 900, attributes(run));
      long step =
          planted.span(run, root, "rlm.step", "agent@node", 5, 30, "rlm.run_id", "run-" + run);
      planted.span(run, step, "worker.tool", "w1@node", 10, 40);
    }
    assertThat(printed(planted))
        .containsPattern("\n  run-2 +not ended +1 .* 40.0 ms +25.0 ms")
        .doesNotContain("900 ms")
        .doesNotContain("times the median");
  }

  private static Object[] attributes(int run) {
    return run == 2
        ? new Object[] {"rlm.run_id", "run-2"}
        : new Object[] {"rlm.run_id", "run-" + run, "rlm.completed", true};
  }

  private static String printed(Planted planted, Recording... recordings) {
    StringWriter text = new StringWriter();
    report(planted, recordings).print(new ReportWriter(text));
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private static RunReport report(Planted planted, Recording... recordings) {
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    return RunReport.ofNewest(
        List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of(recordings)));
  }

  @ParameterizedTest
  @CsvSource({"false, 'not ended, process died'", "true, 'not ended, process alive'"})
  void attemptThatHung_isListedBesideItsRetry(boolean isAlive, String state) {
    Planted planted = PlantedAgentRuns.retried();
    assertThat(printed(planted, PlantedAgentRuns.killed(planted, isAlive)))
        .contains("Runs of an agent: 1 of 2 completed")
        .containsPattern("\n  sub +" + state + " +1 +0 +0.10 +")
        .containsPattern("\n  sub +completed +3 +0 +0.30 +");
  }

  /** The run began at 10 and was last seen at 3,250. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | false | span 00000000  | not ended, process died  | 0 | 3.24 s | 3.23 s, open
          1 | true  | span 00000000  | not ended, process alive | 0 | 3.24 s | 3.23 s, open
          2 | false | hung           | not ended, process died  | 1 | 3.24 s | 3.20 s, open
          """)
  void hungRun_isListedWithTheStepThatHangs(
      int step, boolean isAlive, String run, String state, int steps, String took, String longest) {
    String text = printed(hung(step), recording(step, isAlive));
    assertThat(text)
        .containsPattern(
            "\n  %s +%s +%d +0 .* %s +%s\n".formatted(run, state, steps, took, longest));
    assertThat(text.contains("the id of the run is unknown")).isEqualTo(step == 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void hungRun_isInTheJsonWithTheStepThatHangs(int step) {
    StringWriter text = new StringWriter();
    report(hung(step), recording(step, false)).writeJson(new PrintWriter(text));
    List<?> runs = (List<?>) ((Map<?, ?>) Json.parse(text.toString())).get("agentRuns");
    assertThat(runs.get(1).toString())
        .startsWith(
            "{runId=" + (step == 1 ? "" : "hung") + ", environment=, model=, state=not ended")
        .contains("traceId=" + "0".repeat(31) + "2, spanId=" + "0".repeat(15) + "8, name=rlm.run")
        .contains("nanos=3240000000, alive=false, openSteps=[{spanId=" + "0".repeat(15) + "9, ")
        .contains("ageNanos=" + (step == 1 ? 3_230 : 3_200) + "000000}]");
  }

  /** A run that hangs in its first or second step, after another one. */
  private static Planted hung(int step) {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    planted.span(
        1, 90, 0, "rlm.run", "driver@a", 0, 5, "rlm.run_id", "other", "rlm.completed", true);
    if (step == 2) {
      planted.span(2, 7, 8, "rlm.step", "w3@b", 20, 40, "rlm.run_id", "hung", "rlm.step", 1L);
    }
    return planted;
  }

  private static Recording recording(int step, boolean isAlive) {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    return planted.recording(
        "w3@b",
        isAlive,
        3250,
        planted.open(2, 9, 8, "rlm.step", step == 1 ? 20 : 50),
        planted.open(2, 8, 0, "rlm.run", 10));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no tool, no tool, no tool     | 3 failed: no tool | -
          no tool 12, no tool 7, b      | 2 failed: no tool # | 1 failed: b
          no tool 12, b, no tool 12     | 2 failed: no tool 12 | 1 failed: b
          a, b, c, d, e                 | 1 failed: a | and 2 more reasons
          """)
  void failedRunsBelowARoot_areCountedWithTheirReasons(String reasons, String first, String next) {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    long root =
        planted.span(1, 0, "rlm.run", "a@a", 0, 900, "rlm.run_id", "main", "rlm.completed", true);
    List<String> all = List.of(reasons.split(", "));
    for (int i = 0; i < all.size(); i++) {
      planted.span(
          1,
          root,
          "rlm.run",
          "a@a",
          10 * i,
          10 * i + 9,
          "rlm.run_id",
          "sub" + i,
          "rlm.completed",
          false,
          "failure",
          all.get(i));
    }
    String text = printed(planted);
    assertThat(text)
        .contains("1 trace, 1.11 a second, none failed")
        .contains(
            "Runs of an agent: 1 of %1$d completed, %2$d failed, "
                .formatted(all.size() + 1, all.size()))
        .contains("\n  " + first + "\n");
    if (!next.equals("-")) {
      assertThat(text).contains("\n  " + next);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          5  | 50 | 5  | and 35 more runs (--json
          30 | 50 | 10 | and 60 more runs (--json
          30 | 3  | 17 | and 13 more runs before
          2  | 18 | 2  | -
          """)
  void runsThatFailedEarly_areListedBesideTheLatest(
      int failed, int completed, int listed, String more) {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    for (int i = 0; i < failed + completed; i++) {
      boolean isFailed = i < failed;
      planted.span(
          1 + i,
          0,
          "rlm.run",
          "a@a",
          10 * i,
          10 * i + 9,
          "rlm.run_id",
          "run" + i,
          "rlm.completed",
          !isFailed,
          isFailed ? "failure" : "x",
          "no tool");
    }
    String text = printed(planted);
    assertThat(text.lines().filter(line -> line.matches("  run\\d+ +failed .*"))).hasSize(listed);
    assertThat(text.lines().filter(line -> line.matches("  run\\d+ .*"))).hasSize(20);
    assertThat(text.contains("more runs")).isEqualTo(!more.equals("-"));
    assertThat(more.equals("-") || text.contains(more)).isTrue();
  }

  @Test
  void failedRun_hasItsReasonInTheJson() {
    StringWriter text = new StringWriter();
    report(PlantedAgentRuns.three()).writeJson(new PrintWriter(text));
    List<?> runs = (List<?>) ((Map<?, ?>) Json.parse(text.toString())).get("agentRuns");
    assertThat(runs.stream().map(run -> ((Map<?, ?>) run).get("reason")))
        .map(String::valueOf)
        .containsExactly("null", "no way", "null");
  }

  /** Of each action: reward, nanoseconds, and whether the step failed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tool 0.5 30, think - 10, tool 1 50 failed | tool  2 80.0 ms 89% 50.0 ms 1 0.75 | think 1 10.0 ms 11% 10.0 ms 0 -
          tool 0.5 30, tool 1 50                    | -                                  | -
          tool - 30, '' 1 20                        | tool  1 30.0 ms 60% 30.0 ms 0 -    | - 1 20.0 ms 40% 20.0 ms 0 1.00
          """,
      quoteCharacter = '"')
  void stepsOfSeveralActions_haveATableOfThem(String steps, String first, String second) {
    Planted planted = withActions(List.of(steps.split(", ")));
    List<String> lines = printed(planted).lines().toList();
    int at =
        lines.indexOf(
            lines.stream()
                .filter(line -> line.startsWith("  agent's action"))
                .findFirst()
                .orElse("none"));
    if (first.equals("-")) {
      assertThat(at).isNegative();
      return;
    }
    assertThat(lines.get(at).split(" {2,}"))
        .containsExactly(
            "", "agent's action", "steps", "total", "share", "p95", "failed", "reward");
    assertThat(lines.get(at + 1).replaceAll(" +", " ").strip())
        .isEqualTo(first.replaceAll(" +", " "));
    assertThat(lines.get(at + 2).replaceAll(" +", " ").strip()).isEqualTo(second);
  }

  @ParameterizedTest
  @CsvSource({"8, 8", "9, 8", "12, 8"})
  void manyActions_areTheEightWithMostTime(int actions, int listed) {
    List<String> steps =
        IntStream.range(0, actions).mapToObj(i -> "act" + i + " 1 " + (i + 1)).toList();
    String text = printed(withActions(steps));
    assertThat(text.lines().filter(line -> line.matches("  act\\d+ .*"))).hasSize(listed);
    assertThat(text).containsPattern("reward\n  act" + (actions - 1) + " ");
    assertThat(text.contains("and " + (actions - 8) + " more action")).isEqualTo(actions > 8);
  }

  @ParameterizedTest
  @CsvSource({"'tool 0.5 30, think - 10', 2", "'tool 0.5 30, tool - 10', 0"})
  void actionsInTheJson_areThereIfTheyDiffer(String steps, int actions) {
    StringWriter text = new StringWriter();
    report(withActions(List.of(steps.split(", ")))).writeJson(new PrintWriter(text));
    List<?> found = (List<?>) ((Map<?, ?>) Json.parse(text.toString())).get("agentActions");
    if (actions == 0) {
      assertThat(found).isNull();
      return;
    }
    assertThat(found.get(0))
        .hasToString(
            "{action=tool, count=1, totalNanos=30000000, p95Nanos=30000000, errors=0, meanReward=0.5}");
    assertThat(found.get(1))
        .hasToString("{action=think, count=1, totalNanos=10000000, p95Nanos=10000000, errors=0}");
  }

  private static Planted withActions(List<String> steps) {
    Planted planted = new Planted().inUnitsOf(1_000_000);
    long run =
        planted.span(1, 0, "rlm.run", "a@a", 0, 990, "rlm.run_id", "r", "rlm.completed", true);
    long at = 0;
    for (String step : steps) {
      String[] facts = step.split(" ");
      long millis = Long.parseLong(facts[2]);
      planted.span(
          1,
          run,
          "rlm.step",
          "a@a",
          at,
          at + millis,
          "rlm.run_id",
          "r",
          "rlm.action_type",
          facts[0].replace("''", ""),
          facts[1].equals("-") ? "none" : "rlm.reward",
          facts[1].equals("-") ? 0 : Double.parseDouble(facts[1]),
          facts.length > 3 ? "failure" : "fine",
          "no tool");
      at += millis;
    }
    return planted;
  }
}
