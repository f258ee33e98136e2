package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.FanOuts.FanOut;
import io.rollotel.traces.analysis.FanOuts.Straggler;
import io.rollotel.traces.kit.Planted;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs with known causes: the analysis finds them, to the nanosecond. */
class RunAnalysisTest {

  private static final int STEPS = 10;
  private static final int WORKERS = 4;
  private static final int STRAGGLER = 2;
  private static final int SLOW_STEP = 7;

  private final Planted planted = new Planted();

  /**
   * Ten steps of 1000: [0, 10] the driver; generate on four workers from 10, worker i until 200 +
   * i, the straggler until 500, in the slow step until 900; the driver until 20 later; train on
   * worker 0 for 300; the driver for the last 20.
   */
  private RunAnalysis training() {
    long at = 0;
    for (int step = 1; step <= STEPS; step++) {
      long slow = step == SLOW_STEP ? 900 : 500;
      long wall = slow + 20 + 300 + 20;
      long root =
          planted.span(
              step, 0, "pipeline_step", "driver", at, at + wall, "global_step", (long) step);
      for (int worker = 0; worker < WORKERS; worker++) {
        long end = worker == STRAGGLER ? slow : 200 + worker;
        planted.span(
            step, root, "generate", "w" + worker, at + 10, at + end, "roll.queue_ns", 10L + worker);
      }
      planted.span(step, root, "train", "w0", at + slow + 20, at + slow + 320);
      at += wall + 5;
    }
    return planted.analysis();
  }

  @Test
  void steps_haveTheirPhases() {
    RunAnalysis run = training();
    assertThat(run.steps().areTraces()).isFalse();
    assertThat(run.steps().all()).hasSize(STEPS);
    Steps.Step slow = run.steps().all().get(SLOW_STEP - 1);
    assertThat(slow.label()).isEqualTo("7");
    assertThat(slow.wallNanos()).isEqualTo(1240);
    assertThat(phases(run, slow)).isEqualTo(Map.of("generate", 890L, "train", 300L));
    assertThat(slow.restNanos()).isEqualTo(50);
    assertThat(run.steps().wallNanos()).isEqualTo(9 * 840 + 1240);
    assertThat(run.steps().restNanos()).isEqualTo(STEPS * 50);
    assertThat(run.steps().medianWallNanos()).isEqualTo(840);
    assertThat(run.steps().phases())
        .containsExactly(
            new Steps.Phase(run.spans().names().find("generate"), 10, 9 * 490 + 890, 490, 890),
            new Steps.Phase(run.spans().names().find("train"), 10, 3000, 300, 300));
  }

  @Test
  void criticalPath_goesThroughTheStragglerAndTrain() {
    RunAnalysis run = training();
    PathShares path = run.path();
    assertThat(path.totalNanos()).isEqualTo(run.steps().wallNanos());
    Map<String, Long> names = new LinkedHashMap<>();
    path.names()
        .forEach(share -> names.put(run.spans().names().text(share.number()), share.nanos()));
    assertThat(names)
        .containsExactly(
            Map.entry("generate", 9 * 490 + 890L),
            Map.entry("train", 3000L),
            Map.entry("pipeline_step", STEPS * 40L));
    // It said that it had waited for 12; the step had begun 10 before.
    assertThat(path.queues())
        .containsExactly(
            new PathShares.QueueShare(
                run.spans().names().find("generate"), Planted.process(run, "w2"), STEPS * 10L));
    Map<String, Long> workers = new LinkedHashMap<>();
    path.processes()
        .forEach(
            share ->
                workers.put(
                    run.spans().processes().get(share.number()).instanceId(), share.nanos()));
    assertThat(workers)
        .containsExactly(
            Map.entry("w2", 9 * 490 + 890L),
            Map.entry("w0", 3000L),
            Map.entry("driver", STEPS * 40L));
  }

  @Test
  void straggler_isFoundWithWhatItCost() {
    RunAnalysis run = training();
    FanOuts.Totals generate = run.fanOuts().get(0);
    assertThat(run.fanOuts()).hasSize(1); // train is no fan-out
    assertThat(generate.fanOuts()).isEqualTo(STEPS);
    // The second to end is worker 3, at 203; the median of 200, 201, 203 and the last is 201.
    assertThat(generate.costNanos()).isEqualTo(9 * 297 + 697);
    assertThat(generate.lagNanos()).isEqualTo(9 * 299 + 699);
    assertThat(generate.isAlwaysTheSame()).isTrue();
    Straggler only = generate.stragglers().get(0);
    assertThat(run.spans().processes().get(only.process()).rank()).isEqualTo("2");
    assertThat(only.times()).isEqualTo(STEPS);
    FanOut worst = generate.worst();
    assertThat(worst.costNanos()).isEqualTo(697);
    assertThat(run.spans().globalStep(worst.parent())).isEqualTo("7");
  }

  @Test
  void roundsOfOneName_areFanOutsOfTheirOwn() {
    long root = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    for (int round = 0; round < 3; round++) {
      planted.span(1, root, "a", "w1", round * 30, round * 30 + 20);
      planted.span(1, root, "a", "w2", round * 30 + 1, round * 30 + 10 + round * 10);
      planted.span(1, root, "alone", "w1", round * 30, round * 30 + 20);
      planted.span(1, root, "alone", "w1", round * 30 + 1, round * 30 + 20);
    }
    FanOuts.Totals a = planted.analysis().fanOuts().get(0);
    assertThat(a.fanOuts()).isEqualTo(3);
    assertThat(a.costNanos()).isEqualTo(10 + 0 + 10);
    assertThat(a.isAlwaysTheSame()).isFalse();
    assertThat(planted.analysis().fanOuts()).hasSize(1);
  }

  @Test
  void bubble_isWhatAWorkerDoesNotWorkInSteps() {
    RunAnalysis run = training();
    for (Workers.Worker worker : run.workers().all()) {
      String instance = worker.process().instanceId();
      assertThat(worker.isDriver()).isEqualTo(instance.equals("driver"));
      if (instance.equals("w1")) {
        assertThat(worker.busyNanos()).isEqualTo(191 * STEPS);
        assertThat(worker.stepBusyNanos()).isEqualTo(191 * STEPS);
        assertThat(worker.stepWallNanos()).isEqualTo(8800);
        assertThat(worker.bubbleShare()).isEqualTo(1 - 1910.0 / 8800);
        // From its first start, 10 after the first step's, to its last end.
        assertThat(worker.lifeNanos()).isEqualTo(9 * 5 + 8 * 840 + 1240 + 201 - 10);
        assertThat(worker.idleNanos()).isEqualTo(worker.lifeNanos() - 1910);
      }
    }
  }

  @Test
  void queueWait_isSetAgainstWork() {
    planted.span(9, 0, "generate", "w0", 0, 1, "roll.queue_ns", -5L);
    Queues.Totals generate = training().queues().get(0);
    assertThat(generate.count()).isEqualTo(40);
    assertThat(generate.waitNanos()).isEqualTo((10 + 11 + 12 + 13) * STEPS);
    assertThat(generate.workNanos()).isEqualTo((190 + 191 + 193) * STEPS + 9 * 490 + 890);
    assertThat(generate.medianNanos()).isEqualTo(11);
    assertThat(generate.p95Nanos()).isEqualTo(13);
    assertThat(generate.maxNanos()).isEqualTo(13);
    assertThat(generate.negative()).isEqualTo(1);
    assertThat(generate.share()).isCloseTo(460.0 / (460 + 11040), within(1e-12));
  }

  @Test
  void runWithoutSteps_hasItsTracesForSteps() {
    planted.span(1, 0, "ray.remote", "driver", 0, 50);
    planted.span(2, 0, "ray.remote", "driver", 10, 30);
    planted.span(3, 99, "lost", "w1", 10, 30);
    RunAnalysis run = planted.analysis();
    assertThat(run.steps().areTraces()).isTrue();
    assertThat(run.steps().all()).extracting(Steps.Step::wallNanos).containsExactly(50L, 20L);
  }

  @Test
  void stepInAStep_isPartOfIt() {
    long outer = planted.span(1, 0, "pipeline_step", "driver", 0, 50);
    long middle = planted.span(1, outer, "a", "driver", 0, 40);
    planted.span(1, middle, "pipeline_step", "driver", 0, 30);
    assertThat(planted.analysis().steps().all()).hasSize(1);
  }

  @Test
  void clocksOfTwoHosts_areBoundedFromBothSides() {
    // node2 is ahead by 1000. Calls of 100 with 7 on the way there and 3 on the way back.
    for (int i = 0; i < 5; i++) {
      long parent = planted.span(1, 0, "call", "a@node1", i * 200, i * 200 + 100 + i);
      planted.span(1, parent, "work", "b@node2", i * 200 + 1007, i * 200 + 1097 + i);
      long back = planted.span(1, 0, "call", "b@node2", 5000 + i * 200, 5000 + i * 200 + 100);
      planted.span(1, back, "work", "a@node1", 5000 + i * 200 - 996, 5000 + i * 200 - 902);
    }
    ClockSkew.Hosts hosts = planted.analysis().clocks().pairs().get(0);
    assertThat(hosts).isEqualTo(new ClockSkew.Hosts("node1", "node2", 10, 10, 997, 1002, true, 0));
    assertThat(hosts.isSkewed()).isTrue();
    assertThat(hosts.estimateNanos()).isEqualTo(999);
    assertThat(hosts.uncertaintyNanos()).isEqualTo(3);
    assertThat(Math.abs(hosts.estimateNanos() - 1000))
        .isLessThanOrEqualTo(hosts.uncertaintyNanos());
  }

  @Test
  void equalClocks_areNoNews() {
    long parent = planted.span(1, 0, "call", "a@node1", 0, 100);
    planted.span(1, parent, "work", "b@node2", 10, 90);
    planted.span(1, parent, "later", "b@node2", 10, 300); // not waited for
    planted.span(1, 0, "none", "b@node3", 0, 100);
    ClockSkew.Hosts hosts = planted.analysis().clocks().pairs().get(0);
    assertThat(hosts.isSkewed()).isFalse();
    assertThat(hosts.lowNanos()).isEqualTo(-10);
    assertThat(hosts.highNanos()).isEqualTo(10);
    assertThat(planted.analysis().clocks().pairs()).hasSize(1);
  }

  @Test
  void producer_isNotWaitedFor() {
    long sent = planted.span(1, 0, "f ray.remote", "a@node1", 0, 5, "kind", 4);
    planted.span(1, sent, "f ray.remote_worker", "b@node2", 7, 9, "kind", 5);
    ClockSkew.Hosts hosts = planted.analysis().clocks().pairs().get(0);
    assertThat(hosts.isSkewed()).isFalse();
    assertThat(hosts.isBounded()).isFalse();
  }

  @Test
  void childThatOutlivesItsParentOnOneClockAlone_contradicts() {
    long parent = planted.span(1, 0, "call", "a@node1", 0, 100);
    planted.span(1, parent, "work", "b@node2", 10, 30);
    planted.span(1, parent, "fired and forgotten", "b@node2", 90, 150);
    ClockSkew.Hosts hosts = planted.analysis().clocks().pairs().get(0);
    assertThat(hosts.isContradictory()).isTrue();
    assertThat(hosts.isSkewed()).isFalse();
    assertThat(hosts.sticksOut()).isEqualTo(1);
  }

  @Test
  void troubles_areCounted() {
    planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(2, 77, "lost", "w1", 0, 10);
    planted.span(2, 77, "lost", "w2", 0, 300);
    planted.span(1, 1, "backwards", "w1", 10, 5);
    planted.span(1, 1, "bad", "w1", 10, 20, "failure", "java.io.IOException: disk");
    planted.span(1, 1, "bad", "w1", 20, 30, "failure", "java.io.IOException: disk");
    planted.span(1, 1, "bad", "w1", 30, 40, "failure", "");
    RunAnalysis run = planted.analysis();
    Problems problems = run.problems();
    assertThat(problems.traces()).isEqualTo(2);
    assertThat(problems.unended()).isEqualTo(1);
    assertThat(problems.firstUnended()).hasSize(1);
    assertThat(problems.firstUnended().get(0).spans()).isEqualTo(2);
    assertThat(problems.orphans()).isEqualTo(2);
    assertThat(problems.backwards()).isEqualTo(1);
    assertThat(problems.errors()).isEqualTo(3);
    assertThat(problems.failures()).extracting(Failures.Failure::count).containsExactly(2L, 1L);
    assertThat(run.spans().failureText(problems.failures().get(0).failure()))
        .isEqualTo("java.io.IOException: disk");
    assertThat(run.spans().nanos(run.slowestSpans().get(0))).isEqualTo(300);
    assertThat(run.slowestSpans()).hasSize(6); // the step is none of them
  }

  @Test
  void ringOfParents_isCutOnce() {
    planted.span(1, 1, 3, "a", "w1", 0, 100);
    planted.span(1, 2, 1, "b", "w1", 10, 90);
    planted.span(1, 3, 2, "c", "w1", 20, 80);
    planted.span(1, 4, 4, "self", "w1", 200, 210);
    planted.span(1, 5, 3, "below", "w1", 30, 40);
    RunAnalysis run = planted.analysis();
    assertThat(run.tree().rings()).isEqualTo(2);
    assertThat(run.tree().tops(0)).hasSize(2);
    assertThat(names(run, "a").selfNanos()).isEqualTo(20);
    assertThat(names(run, "c").selfNanos()).isEqualTo(50);
  }

  @Test
  void deepChain_needsNoStack() {
    int depth = 50_000;
    for (int i = 1; i <= depth; i++) {
      planted.span(1, i, i - 1, i == 1 ? "pipeline_step" : "deep", "w1", 0, depth - i + 1);
    }
    RunAnalysis run = planted.analysis();
    assertThat(run.path().totalNanos()).isEqualTo(depth);
    assertThat(names(run, "deep").selfNanos()).isEqualTo(depth - 1);
    assertThat(run.tree().depths()[depth - 1]).isEqualTo(depth - 1);
  }

  private static NameTotals names(RunAnalysis run, String name) {
    return run.nameTotals().stream()
        .filter(totals -> totals.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, Long> phases(RunAnalysis run, Steps.Step step) {
    Map<String, Long> phases = new LinkedHashMap<>();
    for (Steps.PhaseTime phase : step.phases()) {
      phases.put(run.spans().names().text(phase.name()), phase.nanos());
    }
    return phases;
  }

  @Test
  void percentiles_areOfTheRun() {
    RunAnalysis run = training();
    NameTotals generate = names(run, "generate");
    assertThat(generate.count()).isEqualTo(40);
    assertThat(generate.totalNanos()).isEqualTo((190 + 191 + 193) * STEPS + 9 * 490 + 890);
    assertThat(List.of(50, 95, 99, 100).stream().map(generate::percentile).toList())
        .containsExactly(191L, 490L, 890L, 890L);
  }
}
