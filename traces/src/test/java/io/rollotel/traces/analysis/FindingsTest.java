package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Planted faults, and what the steps would save without them. */
class FindingsTest extends FindingsFixture {

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

  /** The driver works, or sleeps, or sends a call that waits in a queue, between two phases. */
  @ParameterizedTest
  @CsvSource({"400, 0, 200", "400, 390, 0", "240, 0, 0", "260, 0, 130"})
  void ownTimeOfSteps_isToldIfNoPhaseHasMore(long between, long queueNanos, long saves) {
    steps(
        20,
        1000,
        500 + between,
        (trace, at, root) -> {
          planted.span(trace, root, "rollout", "driver", at, at + 250);
          long second = at + 250 + between;
          planted.span(
              trace, root, "train", "w0", second, second + 250, "roll.queue_ns", queueNanos);
        });
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.UNATTRIBUTED))
        .extracting(Finding::savesNanos)
        .isEqualTo(saves == 0 ? List.of() : List.of(20 * saves));
  }

  /** In each step the call to one of four workers fails after 60, and is repeated 10 later. */
  @ParameterizedTest
  @CsvSource({"true, false, 60", "false, false, 0", "true, true, 0"})
  void callThatFailsAndIsRepeated_isNoImbalance(
      boolean isFailed, boolean isStepFailed, long saves) {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      int failing = step % 4;
      String error = "connection reset";
      long root =
          isStepFailed
              ? planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 185, "failure", error)
              : planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 185);
      for (int worker = 0; worker < 4; worker++) {
        long from = at + 5;
        if (isFailed && worker == failing) {
          planted.span(step + 1, root, "play", "w" + worker, from, from + 60, "failure", error);
          from += 70;
        }
        planted.span(step + 1, root, "play", "w" + worker, from, from + 100);
      }
    }
    RunAnalysis run = planted.analysis();
    assertThat(of(run, Kind.FAILED_CALLS))
        .extracting(Finding::savesNanos)
        .isEqualTo(saves == 0 ? List.of() : List.of(20 * saves));
    assertThat(of(run, Kind.IMBALANCE)).hasSize(isStepFailed ? 1 : 0);
    if (saves > 0) {
      Finding failed = of(run, Kind.FAILED_CALLS).get(0);
      assertThat(failed.times()).isEqualTo(20);
      assertThat(failed.of()).isEqualTo(100);
      assertThat(failed.evidence()).hasSize(5).allMatch(span -> run.spans().nanos(span) == 60);
    }
  }

  /**
   * The workers send calls themselves, so that the time of a failed one is not known to be lost.
   */
  @Test
  void callThatFailsAfterCallsOfItsOwn_isNoImbalance() {
    for (int step = 0; step < 20; step++) {
      long at = step * 1000L;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, at + 185);
      for (int worker = 0; worker < 4; worker++) {
        long from = at + 5;
        if (worker == step % 4) {
          long failed =
              planted.span(
                  step + 1, root, "play", "w" + worker, from, from + 60, "failure", "reset");
          planted.span(step + 1, failed, "ask", "judge", from + 10, from + 50);
          from += 70;
        }
        long call = planted.span(step + 1, root, "play", "w" + worker, from, from + 100);
        planted.span(step + 1, call, "ask", "judge", from + 10, from + 90);
      }
    }
    assertThat(of(planted.analysis(), Kind.IMBALANCE)).isEmpty();
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
