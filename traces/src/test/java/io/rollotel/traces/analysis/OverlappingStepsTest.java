package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Forest.Node;
import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs whose steps overlap: asynchronous training, in which one step rolls out while one trains.
 */
class OverlappingStepsTest {

  private final Planted planted = new Planted();

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(1000));
  }

  /**
   * So many steps, one after each period: a rollout on w0, then w1 trains as soon as it is free.
   */
  private void pipeline(int steps, long period, long rollout, long train) {
    long free = 0;
    for (int i = 0; i < steps; i++) {
      long at = i * period;
      free = Math.max(free, at + rollout) + train;
      long root =
          planted.span(1 + i, 0, "pipeline_step", "driver", at, free, "global_step", 1L + i);
      planted.span(1 + i, root, "rollout", "w0", at, at + rollout);
      planted.span(1 + i, root, "train", "w1", free - train, free);
    }
  }

  private static Map<String, Long> names(RunAnalysis run) {
    Map<String, Long> names = new LinkedHashMap<>();
    run.path()
        .names()
        .forEach(share -> names.put(run.spans().names().text(share.number()), share.nanos()));
    return names;
  }

  private static Workers.Worker worker(RunAnalysis run, String instance) {
    return run.workers().all().stream()
        .filter(worker -> worker.process().instanceId().equals(instance))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void twentyFourSecondsOfSteps_areSaidToOverlapInTheRun() {
    // 20 steps of 1200, every 600: 24 s of steps in 12.6 s, if the unit were a millisecond.
    pipeline(20, 600, 600, 600);
    RunAnalysis run = planted.analysis();
    Steps steps = run.steps();
    assertThat(run.wallNanos()).isEqualTo(12_600);
    assertThat(steps.wallNanos()).isEqualTo(24_000);
    assertThat(steps.overlap()).isEqualTo(new StepOverlap(12_600, 12_600, 11_400, 2, true));
    assertThat(steps.areOverlapping()).isTrue();
    assertThat(steps.perMinute()).isEqualTo(20 * 60e9 / 12_600);
    assertThat(run.path().totalNanos()).isEqualTo(12_600);
    assertThat(run.path().betweenNanos()).isZero();
    assertThat(names(run).values().stream().mapToLong(nanos -> nanos).sum()).isEqualTo(12_600);
    assertThat(worker(run, "w0").stepWallNanos()).isEqualTo(12_600);
    assertThat(worker(run, "w0").bubbleShare()).isEqualTo(1 - 12_000.0 / 12_600);
  }

  @Test
  void stepThatBeginsWithTheEndOfARollout_isSetOffByIt() {
    pipeline(10, 30, 30, 8);
    assertThat(names(planted.analysis()))
        .containsExactly(Map.entry("rollout", 300L), Map.entry("train", 8L));
  }

  /**
   * Step k + 1 rolls out while step k trains: the trainer is never idle, and the only bottleneck.
   */
  @Test
  void phaseThatWaitsForItsTurn_isOnThePathOfTheOneBefore() {
    for (int i = 0; i < 10; i++) {
      long at = i == 0 ? 0 : 30 + 100 * (i - 1);
      long root = planted.span(1 + i, 0, "pipeline_step", "driver", at, 130 + 100 * i);
      planted.span(1 + i, root, "rollout", "w0", at, at + 30);
      planted.span(1 + i, root, "train", "w1", 30 + 100 * i, 130 + 100 * i);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.steps().wallNanos()).isEqualTo(130 + 9 * 200);
    assertThat(names(run)).containsExactly(Map.entry("train", 1000L), Map.entry("rollout", 30L));
    assertThat(worker(run, "w1").bubbleShare()).isEqualTo(1 - 1000.0 / 1030);
    assertThat(worker(run, "w0").bubbleShare()).isEqualTo(1 - 300.0 / 1030);
  }

  @Test
  void stepsThatOverlapByAHair_areInOrder() {
    for (int i = 0; i < 10; i++) {
      planted.span(1 + i, 0, "pipeline_step", "driver", 1000 * i, 1000 * i + 1009);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.steps().areOverlapping()).isFalse();
    assertThat(run.path().totalNanos()).isEqualTo(run.steps().wallNanos()).isEqualTo(10_090);
    assertThat(run.steps().overlap().mostAtOnce()).isEqualTo(2);
  }

  @Test
  void gapAfterWhichNothingIsKnownToHaveSetOffTheNextStep_liesBetweenThem() {
    planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(2, 0, "pipeline_step", "driver", 50, 110);
    planted.span(3, 0, "pipeline_step", "driver", 150, 200);
    RunAnalysis run = planted.analysis();
    assertThat(run.path().totalNanos()).isEqualTo(200);
    assertThat(run.path().betweenNanos()).isEqualTo(40);
    assertThat(names(run)).containsExactly(Map.entry("pipeline_step", 160L));
  }

  @Test
  void requestsOfAService_overlapByNature() {
    for (int i = 0; i < 10; i++) {
      planted.span(1 + i, 0, "GET /x", "web", 10 * i, 10 * i + 50);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.steps().areOverlapping()).isFalse();
    assertThat(run.steps().perMinute()).isZero();
    assertThat(run.path().totalNanos()).isEqualTo(run.steps().wallNanos()).isEqualTo(500);
    assertThat(run.steps().overlap().mostAtOnce()).isEqualTo(5);
  }

  @Test
  void thinnedOutSteps_keepAPathEach() {
    planted.standingFor(2);
    pipeline(20, 600, 600, 600);
    RunAnalysis run = planted.analysis();
    assertThat(run.steps().areOverlapping()).isTrue();
    assertThat(run.steps().hasPathOfRun()).isFalse();
    assertThat(run.path().totalNanos()).isEqualTo(run.steps().wallNanos()).isEqualTo(48_000);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void pathOfTheRun_isThatOfTheOracle(long seed) {
    Forest forest = seed % 2 == 0 ? Forest.random(seed) : pipelines(seed);
    RunAnalysis run = forest.run;
    if (!run.steps().hasPathOfRun()) {
      return;
    }
    long[] found = forest.painted(run::followRun);
    assertThat(found).isEqualTo(new PathOracle(forest).pathOfRun());
    BitSet covered = new BitSet();
    forest.steps.forEach(step -> covered.or(step.time()));
    long all = covered.length() - covered.nextSetBit(0);
    assertThat(run.path().totalNanos()).isEqualTo(all);
    long onPath = Arrays.stream(found).filter(number -> number != 0).count();
    assertThat(run.path().betweenNanos()).isEqualTo(all - onPath);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void stepsAtOnce_areCountedAtEachMoment(long seed) {
    Forest forest = seed % 2 == 0 ? Forest.random(seed) : pipelines(seed);
    int[] atOnce = new int[Forest.LENGTH];
    for (Node step : forest.steps) {
      step.time().stream().forEach(t -> atOnce[t]++);
    }
    long wall = Arrays.stream(atOnce).sum();
    long union = Arrays.stream(atOnce).filter(number -> number > 0).count();
    StepOverlap overlap = forest.run.steps().overlap();
    assertThat(overlap.unionNanos()).isEqualTo(union);
    assertThat(overlap.overlappedNanos())
        .isEqualTo(Arrays.stream(atOnce).filter(number -> number > 1).count());
    assertThat(overlap.mostAtOnce()).isEqualTo(Arrays.stream(atOnce).max().orElseThrow());
    assertThat(overlap.isOverlapping()).isEqualTo((wall - union) * 100 > wall);
    assertThat(overlap.extentNanos())
        .isEqualTo(
            forest.steps.stream().mapToLong(step -> step.end).max().orElse(0)
                - forest.steps.stream().mapToLong(step -> step.start).min().orElse(0));
  }

  /** Steps of several phases, one begun a while after the other. */
  private static Forest pipelines(long seed) {
    Random random = new Random(seed);
    Planted planted = new Planted();
    int at = random.nextInt(10);
    for (int step = 1; step <= 12 && at < Forest.LENGTH - 1; step++) {
      int end = Math.min(Forest.LENGTH, at + 1 + random.nextInt(60));
      long root = planted.span(step, 0, "pipeline_step", "driver", at, end);
      int from = at;
      for (int phase = 0; phase < 4 && from < end; phase++) {
        int to = Math.min(Forest.LENGTH, from + random.nextInt(25));
        long parent = planted.span(step, root, "phase" + phase, "w" + phase, from, to);
        if (random.nextInt(2) == 0) {
          planted.span(step, parent, "inner", "w9", Math.min(to, from + random.nextInt(5)), to);
        }
        from = to + (random.nextInt(3) == 0 ? random.nextInt(30) : random.nextInt(3));
      }
      at += random.nextInt(40);
    }
    return Forest.of(planted, random);
  }
}
