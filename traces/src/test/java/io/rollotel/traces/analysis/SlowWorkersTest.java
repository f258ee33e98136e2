package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that are slow, always or since a step, and workers that only seem to be. */
class SlowWorkersTest extends FindingsFixture {

  @ParameterizedTest
  @EnumSource
  void slowRank_savesWhatTheRunWithoutItTakesLess(Way way) {
    RunAnalysis run = run(way, 20, 4, (step, worker) -> worker == 3 ? 400 : 200);
    long slowNanos = run.steps().wallNanos();
    List<Finding> slow = of(run, Kind.SLOW_WORKER);
    assertThat(slow).hasSize(1);
    Finding finding = slow.get(0);
    assertThat(run.findings().get(0)).isEqualTo(finding);
    assertThat(instances(run, finding)).containsExactly("w3");
    assertThat(finding.host()).isEqualTo("host1");
    assertThat(run.spans().names().text(finding.name())).isEqualTo("generate");
    assertThat(finding.ratio()).isEqualTo(2);
    assertThat(finding.times()).isEqualTo(20);
    assertThat(finding.of()).isEqualTo(20);
    assertThat(finding.evidence())
        .isNotEmpty()
        .allMatch(span -> run.spans().processOf(span).instanceId().equals("w3"));
    FindingsTest without = new FindingsTest();
    long fastNanos = without.run(way, 20, 4, (step, worker) -> 200).steps().wallNanos();
    assertThat(finding.savesNanos()).isEqualTo(slowNanos - fastNanos);
    assertThat(of(run, Kind.IMBALANCE)).isEmpty();
    assertThat(of(without.planted.analysis(), Kind.SLOW_WORKER)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5, 30", "12, 30", "20, 30", "27, 30"})
  void rankThatBecomesSlow_isNamedWithTheStep(int since, int steps) {
    RunAnalysis run =
        run(Way.PAYLOAD, steps, 4, (step, worker) -> worker == 2 && step >= since ? 600 : 200);
    Finding slow = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, slow)).containsExactly("w2");
    if (since == 5) {
      assertThat(slow.steps()).isEmpty(); // slow in most of all steps
      return;
    }
    assertThat(slow.steps()).containsExactly(run.steps().all().get(since));
    assertThat(slow.ratio()).isEqualTo(3);
    assertThat(slow.times()).isEqualTo(steps - since);
    assertThat(slow.of()).isEqualTo(steps - since);
    assertThat(slow.savesNanos()).isCloseTo((steps - since) * 400L, within(steps * 2L));
    assertThat(of(run, Kind.TREND)).isEmpty();
    assertThat(of(run, Kind.IMBALANCE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, false"})
  void rankThatIsSlowInEveryFifthStep_isNamedIfItIsAlwaysTheSame(
      boolean isInTurn, boolean isNamed) {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            30,
            4,
            (step, worker) ->
                step % 5 == 4 && worker == (isInTurn ? step % 4 : 1) ? 800 : 200 + worker);
    Finding periodic = of(run, Kind.PERIODIC_STEP).get(0);
    assertThat(periodic.times()).isEqualTo(5);
    assertThat(instances(run, periodic)).isEqualTo(isNamed ? List.of("w1") : List.of());
    assertThat(periodic.name() < 0 ? "" : run.spans().names().text(periodic.name()))
        .isEqualTo(isNamed ? "generate" : "");
  }

  @Test
  void rankThatIsSlowNowAndThen_didNotBecomeSlow() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            30,
            4,
            (step, worker) -> worker == 2 && (step % 4 == 0 || step >= 28) ? 600 : 200);
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
  }

  /** In 200 runs of 40 steps, about one in a hundred may be blamed; all slow by chance. */
  @Test
  void workersThatVary_doNotBecomeSlow() {
    int blamed = 0;
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RunAnalysis run =
          new FindingsTest()
              .run(
                  Way.PAYLOAD,
                  40,
                  4,
                  (step, worker) -> (int) (-1000 * Math.log(1 - random.nextDouble())));
      blamed += of(run, Kind.SLOW_WORKER).stream().anyMatch(one -> !one.steps().isEmpty()) ? 1 : 0;
    }
    assertThat(blamed).isLessThan(10);
  }

  @ParameterizedTest
  @CsvSource({"300, load, 1.0", "200, load, 0.67", "60, , 0"})
  void slowRank_hasTheNameThatMostOfItIsIn(long more, String part, double share) {
    steps(
        20,
        1000,
        700,
        (trace, at, root) -> {
          for (int worker = 0; worker < 4; worker++) {
            String on = "w" + worker;
            long load = at + 100 + (worker == 1 ? more : 0);
            long end = load + 200 + (worker == 1 ? 300 - more : 0);
            long call = planted.span(trace, root, "generate", on, at, end);
            planted.span(trace, call, "load", on, at, load);
            planted.span(trace, call, "play", on, load, load + 100);
          }
        });
    RunAnalysis run = planted.analysis();
    Finding slow = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(run.spans().names().text(slow.name())).isEqualTo("generate");
    assertThat(slow.below().share()).isCloseTo(share, within(0.01));
    assertThat(slow.below().part()).isEqualTo(part == null ? -1 : run.spans().findName(part));
  }

  @Test
  void eachRankLastInTurn_isAnImbalanceAndNobodysFault() {
    RunAnalysis run = run(Way.PAYLOAD, 20, 4, (step, worker) -> worker == step % 4 ? 500 : 100);
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    Finding imbalance = of(run, Kind.IMBALANCE).get(0);
    assertThat(imbalance.processes()).isEmpty();
    // Evened out each takes 200: in five steps of four kinds the last ends at 226 of 520 to 526.
    assertThat(imbalance.savesNanos()).isEqualTo(5 * (294 + 296 + 298 + 300));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 10, 100})
  void equalRanks_haveNoFindingAboutWorkers(int steps) {
    RunAnalysis run =
        run(Way.CLIENT, steps, 4, (step, worker) -> 1000 + (step * 31 + worker * 17) % 40);
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    assertThat(of(run, Kind.SLOW_HOST)).isEmpty();
    assertThat(of(run, Kind.SLOW_STEP)).isEmpty();
    assertThat(of(run, Kind.TREND)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"20, 20, 0.25, 9.1e-13", "5, 20, 0.25, 0.585", "0, 3, 0.1, 1", "3, 3, 0.5, 0.125"})
  void chanceOfMostWork_isTheBinomialTail(int most, int of, double ofOne, double probability) {
    assertThat(SlowProcesses.atLeast(most, of, ofOne)).isCloseTo(probability, within(0.001));
  }

  /** As gRPC's instrumentation names them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void bothEndsOfACallWithOneName_areNoPeers(int workers) {
    steps(
        20,
        1000,
        900,
        (trace, at, root) -> {
          for (int worker = 0; worker < workers; worker++) {
            long call =
                planted.span(
                    trace, root, "Generate", "driver", at + 10, at + 500, "kind", Span.CLIENT);
            planted.span(
                trace, call, "Generate", "w" + worker, at + 300, at + 400, "kind", Span.SERVER);
          }
        });
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    assertThat(run.fanOuts()).hasSize(workers == 1 ? 0 : 1);
  }

  @Test
  void stagesThatCallEachOther_areNoPeers() {
    steps(
        20,
        1000,
        900,
        (trace, at, root) -> {
          long stage = root;
          for (int i = 0; i < 3; i++) {
            stage = planted.span(trace, stage, "forward", "s" + i, at + 100 * i, at + 800 - 50 * i);
          }
        });
    RunAnalysis run = planted.analysis();
    assertThat(run.fanOuts()).isEmpty();
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
  }

  @Test
  void coordinatorOfASlowWorker_isNotSlowItself() {
    steps(
        20,
        1000,
        420,
        (trace, at, root) -> {
          for (int node = 0; node < 3; node++) {
            long takes = node == 2 ? 400 : 200;
            long rollout = planted.span(trace, root, "rollout", "node" + node, at, at + takes);
            for (int worker = 0; worker < 3; worker++) {
              long plays = node == 2 && worker == 1 ? 380 : 180;
              String process = "n" + node + "w" + worker;
              planted.span(trace, rollout, "play", process, at + 10, at + 10 + plays);
            }
          }
        });
    RunAnalysis run = planted.analysis();
    List<Finding> slow = of(run, Kind.SLOW_WORKER);
    assertThat(slow).hasSize(1);
    assertThat(instances(run, slow.get(0))).containsExactly("n2w1");
    assertThat(slow.get(0).savesNanos()).isEqualTo(20 * 200);
  }

  /**
   * Each worker works, has the result scored by another process, where the call waits in a queue
   * first, and works again. The scorer is as slow for all of them.
   */
  private void scoredSteps(Way way, IntUnaryOperator works, IntUnaryOperator scores) {
    steps(
        20,
        3000,
        2000,
        (trace, at, root) -> {
          for (int worker = 0; worker < 4; worker++) {
            long from = at + 20 + worker;
            long sent = from + works.applyAsInt(worker);
            long scored = sent + 50 + scores.applyAsInt(worker);
            String to = "w" + worker;
            long end = scored + 10;
            long play = planted.span(trace, root, "play", to, from, end, "roll.queue_ns", 5L);
            long attempt = planted.span(trace, play, "attempt", to, sent, scored);
            switch (way) {
              case PAYLOAD ->
                  planted.span(
                      trace, attempt, "score", "r0", sent + 50, scored, "roll.queue_ns", 50L);
              case PRODUCER -> {
                long sender =
                    planted.span(trace, attempt, "send", to, sent - 1, sent, "kind", Span.PRODUCER);
                planted.span(
                    trace, sender, "score", "r0", sent + 50, scored, "kind", Span.CONSUMER);
              }
              case CLIENT -> {
                long sender =
                    planted.span(trace, attempt, "POST", to, sent, scored, "kind", Span.CLIENT);
                planted.span(
                    trace,
                    sender,
                    "score",
                    "r0",
                    sent + 50,
                    scored,
                    "kind",
                    Span.SERVER,
                    "roll.queue_ns",
                    50L);
              }
            }
          }
        });
  }

  /** The time in which it waits for another process, or in that one's queue, is not its own. */
  @ParameterizedTest
  @EnumSource
  void slowWorkerThatWaitsForAnother_savesOnlyItsOwnTime(Way way) {
    scoredSteps(way, worker -> worker == 3 ? 200 : 100, worker -> 1000);
    RunAnalysis run = planted.analysis();
    Finding slow = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, slow)).containsExactly("w3");
    assertThat(slow.ratio()).isCloseTo(210.0 / 110, within(0.01));
    assertThat(slow.savesNanos()).isCloseTo(20 * 100L, within(20 * 2L));
  }

  @ParameterizedTest
  @EnumSource
  void workerThatWaitsLongerForAnother_isNotSlowItself(Way way) {
    scoredSteps(way, worker -> 100, worker -> worker == 3 ? 1500 : 500);
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    assertThat(of(run, Kind.IMBALANCE)).isEmpty();
  }

  @Test
  void manyWorkersThatVary_areNotSlowAfterThreeSteps() {
    Random random = new Random(5);
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            3,
            256,
            (step, worker) -> (int) (-1000 * Math.log(1 - random.nextDouble())));
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
  }

  /** Two of three are above the lower of two medians, so they are slower in half of the steps. */
  @ParameterizedTest
  @CsvSource({"2, 3", "2, 40", "3, 6", "3, 40", "4, 3", "5, 40"})
  void fewWorkersThatVary_areRarelySlow(int workers, int steps) {
    int alarms = 0;
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      RunAnalysis run =
          new FindingsTest()
              .run(
                  Way.PAYLOAD,
                  steps,
                  workers,
                  (step, worker) -> (int) (-1000 * Math.log(1 - random.nextDouble())));
      alarms += of(run, Kind.SLOW_WORKER).isEmpty() ? 0 : 1;
    }
    assertThat(alarms).isLessThanOrEqualTo(10);
  }

  @Test
  void workerWithMoreCalls_isNotSlow() {
    steps(
        20,
        1000,
        220,
        (trace, at, root) -> {
          for (int shard = 0; shard < 5; shard++) {
            long from = at + (shard == 4 ? 101 : 0);
            planted.span(
                trace, root, "play", "w" + shard % 4, from, from + 100, "roll.queue_ns", from - at);
          }
        });
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    Finding imbalance = of(run, Kind.IMBALANCE).get(0);
    assertThat(instances(run, imbalance)).containsExactly("w0");
    assertThat(imbalance.times()).isEqualTo(20);
    assertThat(imbalance.of()).isEqualTo(20);
    assertThat(imbalance.ratio()).isEqualTo(0.4);
  }

  @Test
  void workerThatHasMostMoreOftenThanChance_isNamedWithoutMoreCalls() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            30,
            4,
            (step, worker) -> worker == (step % 5 < 3 ? 2 : step % 4) ? 500 : 100 + step % 7);
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    Finding imbalance = of(run, Kind.IMBALANCE).get(0);
    assertThat(instances(run, imbalance)).containsExactly("w2");
    assertThat(imbalance.ratio()).isZero();
  }
}
