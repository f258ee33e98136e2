package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedAgentRuns;
import io.rollotel.traces.recording.OpenSpan;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentRunsTest {

  private static final long MS = 1_000_000;

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
    AgentRuns.AgentRun run = PlantedAgentRuns.three().analysis().agentRuns().all().get(at);
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
      PlantedAgentRuns.step(planted, trace, run, "same", 1, 1, 5, trace, trace);
    }
    assertThat(planted.analysis().agentRuns().all())
        .extracting(AgentRuns.AgentRun::totalReward)
        .containsExactlyInAnyOrder(1.0, 2.0);
  }

  /**
   * The run's own span is known from the recorder, so the retry of its id does not get its step.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          died  | 0 | not ended | 1 | 0.1 | 49
          died  | 1 | completed | 3 | 0.3 | 40
          alive | 0 | not ended | 1 | 0.1 | 49
          alive | 1 | completed | 3 | 0.3 | 40
          """)
  void retryOfARunThatHung_isARunOfItsOwn(
      String process, int at, String state, int steps, double total, long millis) {
    Planted planted = PlantedAgentRuns.retried();
    List<AgentRuns.AgentRun> runs =
        planted
            .analysisOf(PlantedAgentRuns.killed(planted, process.equals("alive")))
            .agentRuns()
            .all();
    assertThat(runs).hasSize(2).extracting(AgentRuns.AgentRun::id).containsOnly("sub");
    AgentRuns.AgentRun run = runs.get(at);
    assertThat(run.state()).hasToString(state);
    assertThat(run.steps()).hasSize(steps);
    assertThat(run.totalReward()).isEqualTo(total);
    assertThat(run.nanos()).isEqualTo(millis * MS);
  }

  @Test
  void stepWhoseParentIsUnknown_belongsToTheRunOfItsIdInItsTrace() {
    assertThat(PlantedAgentRuns.retried().analysis().agentRuns().all())
        .singleElement()
        .satisfies(run -> assertThat(run.steps()).hasSize(4));
  }

  /** A run on worker 3 that began at 10 and was last seen at 3,250. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hangs in its first step  | ''     | 0 | 3240 | 3239
          hangs in its second step | hung   | 1 | 3240 | 3200
          hangs between two steps  | hung   | 1 | 3240 | ''
          hangs before any step    | ''     | 0 | 3240 | ''
          died right after a step  | hung   | 1 | 3300 | ''
          """)
  void openRun_lastsUntilTheLastSignOfLife(
      String situation, String id, int steps, long millis, String stuckMillis) {
    Planted planted = new Planted().inUnitsOf(MS);
    planted.span(1, 90, 0, "rlm.run", "driver@a", 0, 5, "rlm.run_id", "other");
    List<OpenSpan> open = new ArrayList<>();
    if (!stuckMillis.isEmpty()) {
      open.add(planted.open(2, 9, 8, "rlm.step", 3250 - Long.parseLong(stuckMillis)));
    }
    open.add(planted.open(2, 8, 0, "rlm.run", 10));
    if (steps > 0) {
      long end = situation.startsWith("died") ? 3310 : 40;
      planted.span(2, 7, 8, "rlm.step", "w3@b", 20, end, "rlm.run_id", id, "rlm.step", 1L);
    }
    AgentRuns runs =
        planted
            .analysisOf(planted.recording("w3@b", false, 3250, open.toArray(OpenSpan[]::new)))
            .agentRuns();
    assertThat(runs.all()).hasSize(2);
    AgentRuns.AgentRun run = runs.all().get(1);
    assertThat(run.id()).isEqualTo(id);
    assertThat(run.label()).isEqualTo(id.isEmpty() ? "span 00000000" : id);
    assertThat(run.state()).isEqualTo(AgentRuns.State.UNENDED);
    assertThat(run.steps()).hasSize(steps);
    assertThat(run.startEpochNanos()).isEqualTo(Planted.START + 10 * MS);
    assertThat(run.nanos()).isEqualTo(millis * MS);
    assertThat(run.open().steps())
        .extracting(step -> Long.toString(step.ageNanos() / MS))
        .isEqualTo(stuckMillis.isEmpty() ? List.of() : List.of(stuckMillis));
  }

  @Test
  void openRunOfAHostThatIsAhead_isOnTheClockOfTheOthers() {
    Planted planted = new Planted();
    long run = planted.span(1, 0, "rlm.run", "driver@a", 0, 100, "rlm.run_id", "main");
    planted.span(1, run, "work", "w1@b", 5010, 5090);
    AgentRuns runs =
        planted
            .analysisOf(
                planted.recording("w1@b", true, 5300, planted.open(2, 9, 0, "rlm.run", 5200)))
            .agentRuns();
    assertThat(runs.all().get(1).startEpochNanos()).isEqualTo(Planted.START + 200);
    assertThat(runs.all().get(1).nanos()).isEqualTo(100);
  }
}
