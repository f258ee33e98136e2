package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedWaits;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.report.RunReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs in random parts add up to the result for all traces at once, whatever the parts. */
class PartedRunsTest extends PartedRunsFixture {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void reasonsOfWhichTooManyDiffer_areShownAlikeInAnyParts(long seed) throws IOException {
    Planted planted = new Planted();
    for (int i = 1; i <= 3000; i++) {
      String reason = i % 2 == 0 ? "no such id: " + i : "port " + i % 900 + " refused";
      planted.span(i, 0, "a", "w1", i, i + 5, "failure", i % 3 == 0 ? "disk 7 full" : reason);
    }
    CallJoins joins = new CallJoins();
    RunReport whole = whole(planted.spans(), joins, OpenSpans.NONE);
    Random random = new Random(seed);
    for (PartedRuns parted :
        List.of(
            inThreads(planted.spans(), joins, OpenSpans.NONE, random, EXACT),
            elsewhere(planted.spans(), joins, OpenSpans.NONE, random, EXACT))) {
      for (FoundRun run : parted.runs()) {
        assertThat(failures(parted.totals(run.number())))
            .containsExactlyElementsOf(failures(whole.ofRun(run.id()).analysis().totals()))
            .hasSize(3);
      }
    }
  }

  /**
   * One trainer for all steps: the path leaves a step where it waits, and not all that is before
   * it.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void stepsThatWaitForTheirTurn_haveOnePathInAnyParts(long seed) throws IOException {
    Random random = new Random(seed);
    Planted planted = new Planted();
    long free = 0;
    for (int step = 1; step <= 30; step++) {
      long at = 100L * step;
      long rolledOut = at + 150 + random.nextInt(100);
      long begun = Math.max(rolledOut + 5, free + random.nextInt(3));
      free = begun + 100 + random.nextInt(60);
      long root = planted.span(step, 0, "pipeline_step", "driver", at, free + 2);
      planted.span(step, root, "rollout", "w0", at, rolledOut);
      planted.span(step, root, "train", "w1", begun, free);
    }
    assertThat(whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE).analysis().path().isOfRun())
        .isTrue();
    assertSame(planted.spans(), OpenSpans.NONE, random);
  }

  /** Runs that end, fail, are retried, hang with and without ended steps; one host is ahead. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void runsOfAgents_areTheSameInAnyParts(long seed) throws IOException {
    Random random = new Random(seed);
    Planted planted = new Planted();
    List<OpenSpan> open = new ArrayList<>();
    for (int trace = 1; trace <= 40; trace++) {
      long at = 1_000L * trace;
      long root = planted.span(trace, 0, "dispatch", "driver@a", at, at + 900);
      for (int attempt = 0; attempt < 1 + random.nextInt(3); attempt++) {
        agentRun(planted, trace, root, 5_000 + at + 300L * attempt, random, open);
      }
    }
    Recording killed = planted.recording("w1@b", false, 50_000, open.toArray(OpenSpan[]::new));
    OpenSpans openSpans = new OpenSpans(List.of(killed));
    CallJoins joins = CallJoins.NONE;
    RunReport whole = whole(planted.spans(), joins, openSpans);
    assertThat(whole.analysis().agentRuns().all().stream().filter(run -> run.open() != null))
        .hasSizeGreaterThan(5)
        .anyMatch(run -> run.id().isEmpty())
        .anyMatch(run -> !run.id().isEmpty());
    assertThat(whole.analysis().agentRuns().actions())
        .hasSize(3)
        .allMatch(action -> action.errors() > 0 && Double.isFinite(action.meanReward()));
    assertSame(whole, inThreads(planted.spans(), joins, openSpans, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), joins, openSpans, random, EXACT));
  }

  private static void agentRun(
      Planted planted, int trace, long root, long at, Random random, List<OpenSpan> open) {
    long id = 10_000 + 100L * planted.spans().size() + open.size();
    boolean isOpen = random.nextInt(4) == 0;
    String runId = "run" + trace;
    int steps = random.nextInt(4);
    for (int step = 1; step <= steps; step++) {
      planted.span(
          trace,
          random.nextInt(9) == 0 ? 7777 : id,
          "rlm.step",
          "w1@b",
          at + 50L * step,
          at + 50L * step + 20 + random.nextInt(30),
          "rlm.run_id",
          runId,
          "rlm.step",
          (long) step,
          "rlm.action_type",
          "action" + random.nextInt(3),
          random.nextBoolean() ? "rlm.reward" : "none",
          random.nextDouble(),
          random.nextInt(3) == 0 ? "failure" : "fine",
          "no tool");
    }
    if (isOpen) {
      open.add(0, planted.open(trace, id, root, "rlm.run", at));
      if (random.nextBoolean()) {
        open.add(0, planted.open(trace, id + 1, id, "rlm.step", at + 250));
      }
    } else {
      planted.span(
          trace,
          id,
          root,
          "rlm.run",
          "w1@b",
          at,
          at + 280,
          "rlm.run_id",
          runId,
          "rlm.completed",
          random.nextBoolean());
    }
  }

  /** More steps than are kept, of which some have no id of their own. */
  @Test
  void manySteps_theSameOnesAreKeptInAnyParts() throws IOException {
    Random random = new Random(1);
    Planted planted = new Planted();
    for (int trace = 1; trace <= 3 * WorkerMeans.STEPS; trace++) {
      long at = 1_000L * trace;
      long root = trace % 7 == 0 ? 900 : planted.span(trace, 0, "pipeline_step", "d", at, at + 500);
      for (int worker = 0; worker < 4; worker++) {
        planted.span(trace, root, "train", "w" + worker, at, at + random.nextInt(500));
      }
    }
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    RunTotals totals = whole.analysis().totals();
    assertThat(totals.unitMeans().workers().of(totals.spans().findName("train")))
        .hasSize(WorkerMeans.STEPS)
        .allMatch(step -> step.size() == 4);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  /** In some of the steps, a single worker has such spans. */
  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {200, 600})
  void manyWorkers_theSameFewerStepsAreKeptInAnyParts(int workers) throws IOException {
    Random random = new Random(workers);
    Planted planted = new Planted();
    for (int trace = 1; trace <= 90; trace++) {
      long at = 1_000L * trace;
      long root = planted.span(trace, 0, "pipeline_step", "d", at, at + 500);
      int busy = trace % 7 == 0 ? 1 : 1 + random.nextInt(workers);
      for (int worker = 0; worker < busy; worker++) {
        planted.span(trace, root, "train", "w" + worker, at, at + random.nextInt(500));
      }
    }
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    RunTotals totals = whole.analysis().totals();
    assertThat(totals.unitMeans().workers().of(totals.spans().findName("train")))
        .hasSizeBetween(WorkerMeans.FEWEST_STEPS / 2, 75)
        .allMatch(step -> step.size() > 1);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void workersThatBeginTheirTraces_areComparedInAnyParts(long seed) throws IOException {
    Random random = new Random(seed);
    Planted planted = new Planted();
    for (int trace = 1; trace <= 120; trace++) {
      int worker = random.nextInt(4);
      long at = 1_000L * trace;
      long took = (worker == 3 ? 300 : 100) + random.nextInt(50);
      planted.span(trace, 0, "train", "w" + worker, at, at + took);
    }
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    assertThat(whole.analysis().findings())
        .anyMatch(finding -> finding.kind() == Finding.Kind.SLOW_WORKER);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  /**
   * Thirty steps with eight calls to each of four workers: one worker becomes slow, or blips, or
   * has more calls, or a call of any is long.
   */
  @ParameterizedTest
  @CsvSource({"SLOW_WORKER, 1", "PERIODIC_STEP, 2", "IMBALANCE, 3", "LONG_TAIL, 4"})
  void fanOutsThatCostTime_areExplainedInAnyParts(Finding.Kind kind, long seed) throws IOException {
    Random random = new Random(seed);
    Planted planted = new Planted();
    for (int step = 0; step < 30; step++) {
      long at = 10_000L * step;
      boolean isSlow =
          (kind == Finding.Kind.SLOW_WORKER && step >= 18)
              || (kind == Finding.Kind.PERIODIC_STEP && step % 5 == 4);
      boolean isTailed = kind == Finding.Kind.LONG_TAIL && step % 8 != 7;
      long root = 1_000_000 + step;
      long[] busyUntil = {at, at, at, at};
      long end = at;
      int tail = random.nextInt(32);
      for (int call = 0; call < 32; call++) {
        int worker = kind == Finding.Kind.IMBALANCE && call < 16 ? 2 : call % 4;
        long took =
            random.nextInt(9) + (isTailed && call == tail ? 900 : isSlow && worker == 2 ? 300 : 90);
        long from = busyUntil[worker];
        end = Math.max(end, from + took);
        busyUntil[worker] += kind == Finding.Kind.IMBALANCE ? took : 0;
        planted.span(
            step + 1, root, "play", "w" + worker, from, from + took, "roll.queue_ns", from - at);
      }
      planted.span(step + 1, root, 0, "pipeline_step", "driver", at, end + 20);
    }
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    assertThat(whole.analysis().findings()).anyMatch(finding -> finding.kind() == kind);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  /** Steps that send late, and between them some whose calls run one after the other. */
  @ParameterizedTest
  @CsvSource({
    "LATE_SENDS, 90, 1, 10000",
    "SERIAL_CALLS, 30, 2, 10000",
    "SERIAL_CALLS, 55, 3, 10000",
    "LATE_SENDS, 90, 4, 280",
    "SERIAL_CALLS, 30, 5, 225",
  })
  void callsThatAreSentLater_areFoundInAnyParts(
      Finding.Kind kind, long nanos, long seed, long every) throws IOException {
    Random random = new Random(seed);
    Planted planted = new Planted();
    for (int step = 0; step < 40; step++) {
      long at = every * step;
      long root = 1_000_000 + step;
      long end = at;
      for (int worker = 0; worker < 4; worker++) {
        long sent = at + (step % 10 == 9 ? 0 : 60 * (nanos == 55 ? worker / 2 : worker));
        long took = nanos + random.nextInt(5) + (step % 10 == 8 ? 40 : 0);
        end = Math.max(end, sent + took);
        planted.span(
            step + 1, root, "play", "w" + worker, sent + 1, sent + took, "roll.queue_ns", 1L);
      }
      planted.span(step + 1, root, 0, "pipeline_step", "driver", at, end + 20);
    }
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    boolean areOverlapping = every < 10_000;
    assertThat(whole.analysis().steps().areOverlapping()).isEqualTo(areOverlapping);
    assertThat(whole.analysis().findings())
        .anyMatch(
            finding ->
                finding.kind() == kind
                    && (finding.savesNanos() == Finding.UNKNOWN) == areOverlapping);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  @ParameterizedTest
  @CsvSource({"true, 20", "true, 400", "false, 40"})
  void waitsInsideSpans_areFoundInAnyParts(boolean arePolled, int steps) throws IOException {
    Random random = new Random(steps);
    Planted planted =
        arePolled ? PlantedWaits.polled(steps, 1) : PlantedWaits.asynchronous(steps, 1);
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    assertThat(whole.analysis().findings())
        .anyMatch(finding -> finding.kind() == Finding.Kind.WAITS_FOR);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void workersThatWaitForEachOther_areComparedInAnyParts(long seed) throws IOException {
    Random random = new Random(seed);
    Planted planted = new Planted();
    for (int trace = 1; trace <= 40; trace++) {
      long at = 10_000L * trace;
      long root = planted.span(trace, 0, "pipeline_step", "driver", at, at + 2_000);
      for (int worker = 0; worker < 4; worker++) {
        String on = "w" + worker;
        long call = planted.span(trace, root, "train", on, at + 10, at + 1_500);
        long end = at + (worker == 3 ? 1_000 : 500) + random.nextInt(100);
        planted.span(trace, call, "forward", on, at + 20, end);
        planted.span(trace, call, "allReduce", on, end, at + 1_490);
      }
    }
    RunReport whole = whole(planted.spans(), CallJoins.NONE, OpenSpans.NONE);
    assertThat(whole.analysis().findings())
        .anyMatch(
            finding ->
                finding.kind() == Finding.Kind.SLOW_WORKER && finding.below().waitedForIn() >= 0);
    assertSame(whole, inThreads(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
    assertSame(whole, elsewhere(planted.spans(), CallJoins.NONE, OpenSpans.NONE, random, EXACT));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void sketches_areWithinTheirError(boolean isElsewhere) throws IOException {
    Random random = new Random(1);
    Planted planted = new Planted();
    for (int trace = 1; trace <= 2_000; trace++) {
      long at = 1_000_000L * trace;
      long root = planted.span(trace, 0, "pipeline_step", "driver", at, at + 900_000);
      for (int worker = 0; worker < 3; worker++) {
        long took = (long) (1_000 * Math.exp(6 * random.nextDouble()));
        planted.span(trace, root, "work", "w" + worker, at, at + took);
      }
    }
    List<Span> spans = planted.spans();
    RunTotals exact = whole(spans, CallJoins.NONE, OpenSpans.NONE).analysis().totals();
    PartedRuns parted =
        isElsewhere
            ? elsewhere(spans, CallJoins.NONE, OpenSpans.NONE, random, /* mostExact= */ 1_000)
            : inThreads(spans, CallJoins.NONE, OpenSpans.NONE, random, /* mostExact= */ 1_000);
    RunTotals estimated = parted.totals(parted.runs().get(0).number());

    assertThat(exact.percentileError()).isZero();
    assertThat(estimated.percentileError()).isEqualTo(0.001);
    for (int i = 0; i < exact.nameTotals().size(); i++) {
      NameTotals known = exact.nameTotals().get(i);
      NameTotals found = estimated.nameTotals().get(i);
      assertThat(found.name()).isEqualTo(known.name());
      assertThat(found.totalNanos()).isEqualTo(known.totalNanos());
      assertThat(found.percentile(100)).isEqualTo(known.percentile(100));
      for (int percent : new int[] {1, 5, 50, 95, 99}) {
        double value = known.percentile(percent);
        assertThat((double) found.percentile(percent)).isCloseTo(value, within(0.001 * value + 1));
      }
    }
  }
}
