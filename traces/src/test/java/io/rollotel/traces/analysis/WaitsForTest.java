package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedWaits;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Spans that wait inside themselves, and spans that only look like it. Times are milliseconds. */
class WaitsForTest extends WaitsFixture {

  private static List<String> names(RunAnalysis run) {
    return waits(run).stream()
        .map(
            finding ->
                run.spans().names().text(finding.name())
                    + " for "
                    + run.spans().names().text(finding.waitedFor().name()))
        .toList();
  }

  /**
   * A step that sends calls and collects their results in another phase.
   *
   * @param slow the worker that is last
   * @param collects the time from the last end until {@code collect} ends
   */
  private double collectingStep(long trace, double at, int slow, double collects) {
    double last = 0;
    double[] ends = new double[4];
    for (int worker = 0; worker < ends.length; worker++) {
      ends[worker] = at + 10 + between(100, 180) + (worker == slow ? 80 : 0);
      last = Math.max(last, ends[worker]);
    }
    double end = last + collects;
    long step = span(trace, 0, "pipeline_step", "driver", at, end + 5);
    long enqueue = span(trace, step, "enqueue", "driver", at + 1, at + 5);
    for (int worker = 0; worker < ends.length; worker++) {
      span(trace, enqueue, "worker.score", "w" + worker, at + 4, ends[worker]);
    }
    span(trace, step, "collect", "driver", at + 6, end);
    return end + 20;
  }

  private RunAnalysis collecting(int steps, LongFunction<Integer> slow) {
    double at = 0;
    for (int trace = 1; trace <= steps; trace++) {
      at = collectingStep(trace, at, slow.apply(trace), between(0.5, 2));
    }
    return planted.analysis();
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 6, 20, 300})
  void collectThatPolls_waitsForTheWorkers(int steps) {
    RunAnalysis run = collecting(steps, trace -> -1);
    assertThat(names(run)).containsExactly("collect for worker.score");
    Finding finding = waits(run).get(0);
    assertThat(finding.of()).isEqualTo(Math.min(steps, 100));
    assertThat(finding.times()).isBetween(finding.of() * 9 / 10, finding.of());
    assertThat(finding.waitedFor().gapNanos()).isCloseTo(5 * MILLI / 4, within(MILLI / 2));
    assertThat(finding.savesNanos()).isEqualTo(Finding.UNKNOWN);
    assertThat(finding.evidence())
        .hasSize(5)
        .allMatch(span -> run.spans().nameOf(span).equals("collect"));
  }

  @Test
  void workerThatIsLastMostTimes_isNamed() {
    RunAnalysis run = collecting(20, trace -> trace % 7 == 0 ? -1 : 3);
    Finding finding = waits(run).get(0);
    assertThat(finding.processes()).containsExactly(Planted.process(run, "w3"));
    assertThat(finding.waitedFor().lastTimes()).isBetween(18L, 20L);
  }

  @Test
  void workersThatAreLastInTurn_areNotNamed() {
    Finding finding = waits(collecting(40, trace -> (int) (trace % 4))).get(0);
    assertThat(finding.processes()).isEmpty();
    assertThat(finding.waitedFor().lastTimes()).isZero();
  }

  @Test
  void callThatIsRepeated_waitsForTheWorkerAlsoIfSomeCallsDoNot() {
    double at = 0;
    for (int trace = 1; trace <= 20; trace++) {
      at = collectingStep(trace, at, -1, trace % 7 == 0 ? between(60, 100) : 1);
    }
    RunAnalysis run = planted.analysis();
    assertThat(names(run)).containsExactly("collect for worker.score");
    assertThat(waits(run).get(0).times()).isBetween(18L, 19L);
  }

  @ParameterizedTest
  @CsvSource({"4, 1", "20, 0.3"})
  void tooFewOrTooFarApart_isNoWait(int steps, double share) {
    double at = 0;
    for (int trace = 1; trace <= steps; trace++) {
      boolean isClose = random.nextDouble() < share;
      at = collectingStep(trace, at, -1, isClose ? 1 : between(30, 100));
    }
    assertThat(names(planted.analysis())).isEmpty();
  }

  /** They begin with the phase, and always take as long. */
  @Test
  void workThatAlwaysTakesTheSameTime_isNoWait() {
    for (int trace = 1; trace <= 30; trace++) {
      double at = 300 * trace;
      long step = span(trace, 0, "pipeline_step", "driver", at, at + 250);
      span(trace, step, "train", "w1", at, at + between(239, 241));
      span(trace + 100, 0, "evaluate", "w2", at, at + between(236, 238));
    }
    assertThat(names(planted.analysis())).isEmpty();
  }

  /** A call at the end of the work whose context was lost: it is a trace of its own. */
  @Test
  void workThatCallsAnotherAtItsEnd_isNoWait() {
    double at = 0;
    for (int trace = 1; trace <= 30; trace++) {
      double took = between(200, 400);
      long step = span(trace, 0, "pipeline_step", "driver", at, at + took + 5);
      span(trace, step, "train", "w1", at, at + took);
      span(trace + 100, 0, "store", "s1", at + took - 12, at + took - 1);
      at += took + 10;
    }
    assertThat(names(planted.analysis())).isEmpty();
  }

  /** On the path, the work inside a method counts toward the method; it is one span, not two. */
  @Test
  void workInsideAMethod_isNotWaitedForByTheMethod() {
    double at = 0;
    for (int trace = 1; trace <= 20; trace++) {
      double end = at + between(200, 400);
      long step = span(trace, 0, "pipeline_step", "driver", at, end + 5);
      long train = span(trace, step, "worker.train", "w1", at + 1, end);
      span(trace, train, "exec", "w1", at + 2, end);
      at = end + 10;
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.spans().names().text(run.path().names().get(0).number()))
        .isEqualTo("worker.train");
    assertThat(names(run)).isEmpty();
  }

  /** One step rolls out while the step before trains, which it then waits for. */
  @Test
  void stepThatWaitsForTheStepBefore_waitsForWhatThatDoes() {
    double at = 0;
    long before = 0;
    for (int trace = 1; trace <= 20; trace++) {
      double end = at + between(200, 400);
      long step = span(trace, 0, "pipeline_step", "driver", at, end);
      span(trace, step, "rollout", "w1", at, at + 80);
      if (before != 0) {
        span(trace - 1, before, "train", "driver", at + 1, end - 0.2);
      }
      before = step;
      at = end + 0.1;
    }
    assertThat(names(planted.analysis())).containsExactly("pipeline_step for train");
  }

  /** The result is handed on before its span ends, so it is a matter of luck which ends first. */
  @ParameterizedTest
  @CsvSource({"0.5, true", "0.02, false"})
  void workThatHandsItsResultOn_mayEndAfterTheWait(double isBefore, boolean isFound) {
    double at = 0;
    for (int trace = 1; trace <= 30; trace++) {
      double end = at + between(100, 200);
      long step = span(trace, 0, "pipeline_step", "driver", at, end + 20);
      span(trace, step, "get_batch", "driver", at + 1, end);
      double lead = between(0.1, 0.5) * (random.nextDouble() < isBefore ? 1 : -1);
      span(trace + 100, 0, "episode", "driver", at - 30, end - lead);
      at = end + 50;
    }
    assertThat(names(planted.analysis()))
        .isEqualTo(isFound ? List.of("get_batch for episode") : List.of());
  }

  /** Steps of equal length, in which the wait is a little longer or shorter. */
  @Test
  void gapThatIsAlwaysTheSame_isProofAlsoIfWaitsHardlyDiffer() {
    double at = 0;
    for (int trace = 1; trace <= 20; trace++) {
      double end = at + between(39, 42);
      long step = span(trace, 0, "pipeline_step", "driver", at, end + 20);
      span(trace, step, "get_batch", "driver", at, end);
      span(trace + 100, 0, "episode", "driver", at - 30, end - 1.3);
      at = end + 50;
    }
    assertThat(names(planted.analysis())).containsExactly("get_batch for episode");
  }

  /** The result is there a moment before the span of the call ends. */
  @Test
  void callWhoseResultIsCollected_doesNotWaitForTheCollector() {
    double at = 0;
    for (int trace = 1; trace <= 30; trace++) {
      double end = at + between(200, 400);
      long step = span(trace, 0, "pipeline_step", "driver", at, end + 5);
      long enqueue = span(trace, step, "enqueue", "driver", at, at + 2);
      span(trace, enqueue, "worker.score", "w1", at + 1, end);
      span(trace, step, "collect", "driver", at + 3, end - 0.1);
      at = end + 10;
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.spans().names().text(run.path().names().get(0).number()))
        .isEqualTo("worker.score");
    assertThat(names(run)).isEmpty();
  }

  @Test
  void spansAboveAndBelow_areNotWaitedFor() {
    double at = 0;
    for (int trace = 1; trace <= 30; trace++) {
      double last = at;
      long step = span(trace, 0, "pipeline_step", "driver", at, at + 500);
      for (int rank = 0; rank < 4; rank++) {
        double took = between(200, 300);
        long train = span(trace, step, "train", "w" + rank, at + 5, at + 20 + took);
        // Each rank also ends shortly after the steps of other ranks.
        span(trace, train, "optimize", "w" + rank, at + 6, at + 150);
        last = Math.max(last, at + 20 + took);
      }
      span(trace + 100, 0, "optimize", "w9", last - 40, last - 1);
      at += 520;
    }
    assertThat(names(planted.analysis())).isEmpty();
  }

  /** Steps of an environment: one ends shortly before any moment. */
  @ParameterizedTest
  @ValueSource(doubles = {1, 5, 20})
  void spansThatEndAllTheTime_areNotWaitedFor(double every) {
    double at = 0;
    for (int trace = 1; trace <= 30; trace++) {
      double took = between(200, 400);
      long step = span(trace, 0, "pipeline_step", "driver", at, at + took + 5);
      span(trace, step, "generate", "w1", at + 1, at + took);
      at += took + 10;
    }
    for (double env = 0; env < at; env += every * between(0.5, 1.5)) {
      span(1_000 + Math.round(env * 100), 0, "env.step", "e1", env, env + every);
    }
    assertThat(names(planted.analysis())).isEmpty();
  }

  @Test
  void asynchronousGetBatch_waitsForTrajectoriesOfEarlierSteps() {
    RunAnalysis run = PlantedWaits.asynchronous(40, 1).analysis();
    assertThat(names(run)).containsExactly("get_batch for trajectory");
    assertThat(waits(run).get(0).times()).isEqualTo(39);
    assertThat(waits(run).get(0).of()).isEqualTo(40);
    assertThat(waits(run).get(0).processes()).isEmpty();
  }

  /** All spans of one host; without calls between the hosts, nothing tells how clocks differ. */
  @ParameterizedTest
  @CsvSource({"0, true", "30, false"})
  void hostWhoseClockContradictsItself_isNotSearched(int contradicting, boolean isFound) {
    double at = 0;
    for (int trace = 1; trace <= 20; trace++) {
      double end = at + between(100, 200);
      long step = span(trace, 0, "pipeline_step", "driver@a", at, end + 5);
      long enqueue = span(trace, step, "enqueue", "driver@a", at, at + 2);
      span(trace, enqueue, "worker.score", "w1@b", at + 1, end - 1);
      span(trace, step, "collect", "driver@a", at + 3, end);
      // The same host, by its spans, is ahead and behind.
      for (int i = 0; i < contradicting; i++) {
        double wrong = i % 2 == 0 ? -500 : 500;
        span(trace, step, "check", "w1@b", at + wrong, at + wrong + 1);
      }
      at = end + 20;
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.clocks().doubtful().isEmpty()).isEqualTo(isFound);
    assertThat(names(run).isEmpty()).isEqualTo(!isFound);
  }

  @Test
  void sampledRun_hasNoWaits() {
    planted.standingFor(4);
    assertThat(names(collecting(20, trace -> -1))).isEmpty();
  }
}
