package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Planted faults, and what the steps would save without them. */
class FindingsTest {

  private final Planted planted = new Planted();

  private enum Way {
    PAYLOAD,
    PRODUCER,
    CLIENT
  }

  /** A call sent 5 before it begins, whose answer takes 5. */
  private void call(Way way, long trace, long parent, String name, String to, long from, long end) {
    switch (way) {
      case PAYLOAD -> planted.span(trace, parent, name, to, from, end, "roll.queue_ns", 5L);
      case PRODUCER -> {
        long sender =
            planted.span(
                trace, parent, "send", "driver", from - 9, from - 5, "kind", Span.PRODUCER);
        planted.span(trace, sender, name, to, from, end, "kind", Span.CONSUMER);
      }
      case CLIENT -> {
        long sender =
            planted.span(trace, parent, "POST", "driver", from - 5, end + 5, "kind", Span.CLIENT);
        long server = planted.span(trace, sender, "POST /", to, from, end, "kind", Span.SERVER);
        planted.span(trace, server, name, to, from, end);
      }
    }
  }

  /**
   * A step: {@code generate} on some workers, each as long as told, begun at 20 and 2 later each;
   * 30 after the last of them {@code train} on the first worker for 100, and 20 until the end.
   */
  private long step(Way way, int trace, long at, int workers, IntUnaryOperator generates) {
    long last = 0;
    for (int worker = 0; worker < workers; worker++) {
      last = Math.max(last, at + 20 + 2L * worker + generates.applyAsInt(worker));
    }
    long end = last + 30 + 100 + 20;
    long root = planted.span(trace, 0, "pipeline_step", "driver", at, end);
    long rollout = planted.span(trace, root, "rollout", "driver", at + 5, last + 10);
    for (int worker = 0; worker < workers; worker++) {
      long from = at + 20 + 2L * worker;
      call(
          way, trace, rollout, "generate", host(worker), from, from + generates.applyAsInt(worker));
    }
    long update = planted.span(trace, root, "update", "driver", last + 10, end - 5);
    call(way, trace, update, "train", host(0), last + 30, last + 130);
    return end;
  }

  private static String host(int worker) {
    return "w" + worker + "@host" + worker / 2;
  }

  private RunAnalysis run(Way way, int steps, int workers, StepOfWorker generates) {
    long at = 0;
    for (int step = 0; step < steps; step++) {
      int number = step;
      at = step(way, step + 1, at, workers, worker -> generates.nanos(number, worker));
    }
    return planted.analysis();
  }

  private interface StepOfWorker {
    int nanos(int step, int worker);
  }

  /** A step of one length after the other, a trace each. */
  private void steps(int count, long everyNanos, long nanos, Step step) {
    for (int i = 0; i < count; i++) {
      long at = i * everyNanos;
      step.plant(i + 1, at, planted.span(i + 1, 0, "pipeline_step", "driver", at, at + nanos));
    }
  }

  private interface Step {
    /** Plants what is in a step. */
    void plant(long trace, long at, long root);
  }

  private static List<Finding> of(RunAnalysis run, Kind kind) {
    return run.findings().stream().filter(finding -> finding.kind() == kind).toList();
  }

  private static List<String> instances(RunAnalysis run, Finding finding) {
    return finding.processes().stream()
        .map(process -> run.spans().processes().get(process).instanceId())
        .toList();
  }

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

  @Test
  void twoSlowRanksOnOneHost_areTheHost() {
    RunAnalysis run = run(Way.PAYLOAD, 20, 4, (step, worker) -> worker >= 2 ? 1200 : 200);
    assertThat(run.fanOuts().get(0).stragglers().get(0).costNanos()).isEqualTo(20 * 2);
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    assertThat(of(run, Kind.SLOW_HOST)).hasSize(1);
    Finding host = of(run, Kind.SLOW_HOST).get(0);
    assertThat(host.host()).isEqualTo("host1");
    assertThat(instances(run, host)).containsExactlyInAnyOrder("w2", "w3");
    assertThat(host.savesNanos()).isEqualTo(20 * 1000);
  }

  @Test
  void twoSlowRanksOnTwoHosts_areNamedTogether() {
    RunAnalysis run =
        run(Way.PAYLOAD, 20, 6, (step, worker) -> worker == 0 || worker == 5 ? 1200 : 200);
    assertThat(of(run, Kind.SLOW_HOST)).isEmpty();
    assertThat(of(run, Kind.SLOW_WORKER)).hasSize(1);
    Finding both = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, both)).containsExactlyInAnyOrder("w0", "w5");
    assertThat(both.savesNanos()).isEqualTo(20 * 1000);
  }

  @Test
  void slowRankAndSlowHost_areNamedTogetherIfEitherAloneSavesLittle() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            20,
            8,
            (step, worker) -> worker == 0 ? 1500 : worker == 2 || worker == 3 ? 1200 : 200);
    assertThat(of(run, Kind.SLOW_HOST)).isEmpty();
    assertThat(of(run, Kind.SLOW_WORKER)).hasSize(1);
    Finding all = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, all)).containsExactlyInAnyOrder("w0", "w2", "w3");
    assertThat(all.hosts()).containsExactly("host1");
    assertThat(all.host()).isEmpty();
    FindingsTest without = new FindingsTest();
    long fastNanos = without.run(Way.PAYLOAD, 20, 8, (step, worker) -> 200).steps().wallNanos();
    assertThat(all.savesNanos()).isEqualTo(run.steps().wallNanos() - fastNanos);
  }

  @Test
  void slowRankThatMattersMore_isNamedBesideTheSlowHost() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            20,
            8,
            (step, worker) -> worker == 0 ? 1500 : worker == 2 || worker == 3 ? 250 : 200);
    assertThat(of(run, Kind.SLOW_WORKER)).hasSize(1);
    assertThat(instances(run, of(run, Kind.SLOW_WORKER).get(0))).containsExactly("w0");
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

  /** The path counts work that ends a little after its caller; so must what is below that work. */
  @Test
  void callThatEndsAfterItsCaller_isReplayedWithWhatIsBelow() {
    steps(
        20,
        1000,
        500,
        (trace, at, root) -> {
          long phase = planted.span(trace, root, "rollout", "driver", at, at + 490);
          for (int worker = 0; worker < 3; worker++) {
            long end = at + (worker == 1 ? 493 : 203);
            long receiver =
                planted.span(
                    trace, phase, "receive", "w" + worker, at + 3, end, "kind", Span.CONSUMER);
            planted.span(trace, receiver, "play", "w" + worker, at + 3, end);
          }
        });
    Finding slow = of(planted.analysis(), Kind.SLOW_WORKER).get(0);
    assertThat(slow.savesNanos()).isCloseTo(20 * 290L, within(20 * 5L));
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

  /** Each worker has eight calls at once, of which one is long, on another worker each time. */
  @ParameterizedTest
  @ValueSource(ints = {16, 14})
  void longCallThatEndsItsFanOut_isNoImbalance(int tails) {
    steps(
        20,
        1000,
        260,
        (trace, at, root) -> {
          for (int call = 0; call < 32; call++) {
            long takes = call == 7 * trace % 32 && trace <= tails ? 250 : 25 + call % 10;
            planted.span(trace, root, "play", "w" + call % 4, at + 5, at + 5 + takes);
          }
        });
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.IMBALANCE)).isEmpty();
    Finding tail = of(run, Kind.LONG_TAIL).get(0);
    assertThat(tail.times()).isEqualTo(tails);
    assertThat(tail.of()).isEqualTo(20);
    assertThat(tail.savesNanos()).isEqualTo(tails * (250L - 34));
    assertThat(tail.evidence()).hasSize(5).allMatch(span -> run.spans().nanos(span) == 250);
  }

  @Test
  void longCallBehindOthers_isStillLongIfCallsAreSharedOutEvenly() {
    steps(
        20,
        1000,
        140,
        (trace, at, root) -> {
          for (int call = 0; call < 8; call++) {
            long from = at + 10 * (call / 2);
            long takes = call == 6 + trace % 2 ? 100 : 10;
            planted.span(
                trace,
                root,
                "play",
                "w" + call % 2,
                from,
                from + takes,
                "roll.queue_ns",
                from - at);
          }
        });
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.LONG_TAIL)).isEmpty();
    assertThat(of(run, Kind.IMBALANCE).get(0).savesNanos()).isCloseTo(20 * 30L, within(20 * 2L));
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

  @Test
  void overlappingSteps_haveNoSavings() {
    for (int step = 0; step < 20; step++) {
      long at = step * 300L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 1000 + step * 50);
      planted.span(step + 1, root, "play", "w1", at, at + 900);
    }
    assertThat(planted.analysis().findings())
        .allMatch(finding -> finding.savesNanos() == Finding.UNKNOWN);
  }

  @Test
  void queueWait_savesTheWaitOnThePath() {
    steps(
        10,
        1000,
        900,
        (trace, at, root) -> {
          planted.span(trace, root, "generate", "w1", at + 500, at + 890, "roll.queue_ns", 450L);
        });
    RunAnalysis run = planted.analysis();
    Finding wait = of(run, Kind.QUEUE_WAIT).get(0);
    assertThat(wait.savesNanos()).as("the first call waited for the start").isEqualTo(9 * 450);
    assertThat(wait.ratio()).as("behind others").isZero();
    assertThat(run.path().startingNanos()).isEqualTo(450);
    assertThat(instances(run, wait)).containsExactly("w1");
    assertThat(run.spans().names().text(wait.name())).isEqualTo("generate");
  }

  @Test
  void callsOfABusyWorker_areOnThePathOneAfterTheOther() {
    steps(
        10,
        1000,
        920,
        (trace, at, root) -> {
          for (int call = 0; call < 9; call++) {
            long from = at + 10 + call * 100;
            planted.span(
                trace, root, "play", "w1", from, from + 99, "roll.queue_ns", 5 + call * 100L);
            long to = Math.min(from + 195, at + 905); // on another worker, and later
            planted.span(trace, root, "play", "w2", from + 7, to, "roll.queue_ns", 1L);
          }
        });
    RunAnalysis run = planted.analysis();
    PathShares path = run.path();
    assertThat(path.nanosOfProcess(Planted.process(run, "w1"))).isEqualTo(10 * 9 * 99);
    assertThat(path.queues().get(0).nanos()).isEqualTo(10 * (5 + 8));
    Finding wait = of(run, Kind.QUEUE_WAIT).get(0);
    assertThat(instances(run, wait)).containsExactly("w1");
    assertThat(wait.ratio()).isGreaterThan(0.9);
    assertThat(wait.savesNanos()).as("w2 is sent calls as late").isBetween(1L, 10 * 100L);
  }

  @Test
  void queueBehindASlowCall_isShorterWithoutIt() {
    // Each rank has two calls in its queue: the second begins when the first has ended.
    steps(
        20,
        3000,
        2020,
        (trace, at, root) -> {
          for (int worker = 0; worker < 3; worker++) {
            long takes = worker == 1 ? 1000 : 300;
            long from = at + 10;
            planted.span(
                trace, root, "play", "w" + worker, from, from + takes, "roll.queue_ns", 1L);
            planted.span(
                trace,
                root,
                "learn",
                "w" + worker,
                from + takes,
                from + 2 * takes,
                "roll.queue_ns",
                takes);
          }
        });
    RunAnalysis run = planted.analysis();
    Finding slow = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, slow)).containsExactly("w1");
    assertThat(slow.savesNanos()).isEqualTo(20 * 1400);
  }

  @Test
  void phaseThatOverlapsTheNextByAHair_stillHoldsItUp() {
    steps(
        20,
        1000,
        1000,
        (trace, at, root) -> {
          for (int worker = 0; worker < 3; worker++) {
            planted.span(trace, root, "play", "w" + worker, at, at + (worker == 2 ? 601 : 300));
          }
          planted.span(trace, root, "learn", "w0", at + 600, at + 1000);
        });
    Finding slow = of(planted.analysis(), Kind.SLOW_WORKER).get(0);
    assertThat(slow.savesNanos()).isCloseTo(20 * 300L, within(20 * 2L));
  }

  @Test
  void longestPhase_savesHalfOfItself() {
    RunAnalysis run = run(Way.PAYLOAD, 10, 2, (step, worker) -> 100);
    Finding phase = of(run, Kind.PHASE).get(0);
    assertThat(run.spans().names().text(phase.name())).isEqualTo("update");
    long update = run.steps().phases().get(0).totalNanos();
    assertThat(phase.savesNanos()).isCloseTo(update / 2, within(10L));
    assertThat(phase.ratio()).isEqualTo((double) update / run.steps().wallNanos());
  }

  @Test
  void phaseThatWouldSaveMore_comesAfterTheCause() {
    RunAnalysis run = run(Way.PAYLOAD, 20, 4, (step, worker) -> worker == 3 ? 1250 : 1000);
    assertThat(run.findings())
        .extracting(Finding::kind)
        .containsExactly(Kind.SLOW_WORKER, Kind.PHASE);
    assertThat(of(run, Kind.PHASE).get(0).savesNanos())
        .isGreaterThan(run.findings().get(0).savesNanos());
  }

  @Test
  void whatNoReplayCanTell_standsLast() {
    steps(
        10,
        1000,
        900,
        (trace, at, root) -> {
          planted.span(trace, root, "generate", "w1", at + 10, at + 300);
          planted.span(trace, root, "save", "w2", at + 50, at + 2900);
        });
    planted.span(99, 12345, "lost", "w1", 10, 20);
    RunAnalysis run = planted.analysis();
    assertThat(run.findings())
        .extracting(Finding::kind)
        .containsSubsequence(Kind.OVERLAPPED_WORK, Kind.MISSING_ROOT);
    assertThat(of(run, Kind.OVERLAPPED_WORK).get(0).savesNanos()).isEqualTo(Finding.UNKNOWN);
    assertThat(of(run, Kind.OVERLAPPED_WORK).get(0).times()).isEqualTo(10);
  }

  @Test
  void idleWorkers_areSaidWithTheIdlest() {
    steps(
        10,
        1000,
        900,
        (trace, at, root) -> {
          planted.span(trace, root, "a", "w1", at + 10, at + 500);
          planted.span(trace, root, "b", "w2", at + 500, at + 600);
        });
    RunAnalysis run = planted.analysis();
    Finding idle = of(run, Kind.IDLE).get(0);
    assertThat(instances(run, idle)).containsExactly("w2");
    assertThat(idle.ratio()).isGreaterThan(0.5);
  }

  @ParameterizedTest
  @CsvSource({"0, 5, 1", "5, 5, 0.03125", "9, 10, 0.0107", "10, 20, 0.588", "2000, 2000, 0"})
  void signTest_isTheBinomialTail(int heads, int throwsOfCoin, double probability) {
    assertThat(SlowProcesses.atLeast(heads, throwsOfCoin)).isCloseTo(probability, within(0.001));
  }
}
