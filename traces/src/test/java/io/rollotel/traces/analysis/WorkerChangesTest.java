package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.TracedProcess;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerChangesTest {

  private static final double MS = 1e6;
  private static final IntToDoubleFunction LIKE_BEFORE = rank -> 1;

  /** Ranks are the same in both runs, and hosts have four workers each. */
  private static final IntFunction<String> RANKS = rank -> "w" + rank + "@host" + rank / 4;

  private int seed;
  private int steps = 30;
  private double noise = 0.05;

  /** How much of a worker's noise is still there in the next step. */
  private double lasts;

  /** What the later run's driver does beside the workers' work, in each step. */
  private long saveMillis;

  /** A worker's spans of generate in a step, one after another. */
  private int spans = 1;

  /** Whether each worker also has one span of load in a step, a third as long as all of those. */
  private boolean loads;

  /** From this step on, rank 3 is another process of its service. */
  private int restartAt = Integer.MAX_VALUE;

  private IntFunction<String> workersBefore = RANKS;
  private IntFunction<String> workersAfter = RANKS;

  @Test
  void oneWorkerGotSlower_isNamedWithBothTimes() {
    SlowerWorkers found = only(8, rank -> rank == 3 ? 2 : 1);
    assertThat(ranks(found)).containsExactly("3");
    assertThat(found.name()).isEqualTo("generate");
    assertThat(found.others()).isEqualTo(7);
    assertThat(found.afterNanos() / (double) found.beforeNanos()).isCloseTo(2, within(0.1));
    assertThat(found.othersAfterNanos() / (double) found.othersBeforeNanos())
        .isCloseTo(1, within(0.03));
    assertThat(found.areAlone()).isTrue();
    assertThat(found.areMatched()).isTrue();
    assertThat(found.host()).isEmpty();
  }

  /** The mean of all grows by less than 1 %, but each step waits for the one. */
  @Test
  void oneOfManyWorkersGotSlower_isNamedThoughTheNameDidNot() {
    steps = 20;
    Comparison comparison = comparison(256, rank -> rank == 17 ? 1.8 : 1);
    assertThat(comparison.changes())
        .filteredOn(change -> change.kind() == Comparison.Kind.NAME)
        .filteredOn(change -> change.name().equals("generate"))
        .noneMatch(Comparison.Change::isSlower);
    assertThat(comparison.slowerWorkers()).hasSize(1);
    assertThat(ranks(comparison.slowerWorkers().get(0))).containsExactly("17");
  }

  /** The step takes 80 % longer, however many spans share that. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 50, 100})
  void workHasManySpansInAStep_theOneWorkerIsNamedAllTheSame(int inStep) {
    steps = 15;
    spans = inStep;
    Comparison comparison = comparison(40, rank -> rank == 3 ? 1.8 : 1);
    assertThat(comparison.steps().ratio()).isGreaterThan(1.5);
    assertThat(comparison.changes())
        .filteredOn(change -> change.kind() == Comparison.Kind.NAME)
        .filteredOn(change -> change.name().equals("generate"))
        .noneMatch(Comparison.Change::isSlower);
    assertThat(comparison.slowerWorkers()).hasSize(1);
    assertThat(ranks(comparison.slowerWorkers().get(0))).containsExactly("3");
    assertThat(comparison.slowerWorkers().get(0).spansInStep()).isEqualTo(inStep);
  }

  /** A span of load grows more, but there is one. */
  @Test
  void twoNamesGotSlower_theOneThatAddsMoreToTheStepIsFirst() {
    spans = 20;
    loads = true;
    assertThat(comparison(8, rank -> rank == 3 ? 2 : 1).slowerWorkers())
        .extracting(SlowerWorkers::name)
        .containsExactly("generate", "load");
  }

  @Test
  void allWorkersOfAHostGotSlower_theHostIsNamed() {
    SlowerWorkers found = only(8, rank -> rank < 4 ? 1.5 : 1);
    assertThat(ranks(found)).containsExactlyInAnyOrder("0", "1", "2", "3");
    assertThat(found.host()).isEqualTo("host0");
  }

  @Test
  void twoWorkersGotSlower_theirHostsAreNotToBlame() {
    SlowerWorkers found = only(8, rank -> rank == 1 || rank == 6 ? 1.5 : 1);
    assertThat(ranks(found)).containsExactlyInAnyOrder("1", "6");
    assertThat(found.host()).isEmpty();
  }

  @Test
  void oneOfTwoWorkersGotSlower_isNamed() {
    assertThat(ranks(only(2, rank -> rank == 1 ? 1.3 : 1))).containsExactly("1");
  }

  /** Rank 3 is another process from the tenth step on, which does a part of that step. */
  @Test
  void workerWasRestarted_itsProcessesAreOneWorker() {
    restartAt = 10;
    SlowerWorkers found = only(8, rank -> rank == 3 ? 2 : 1);
    assertThat(ranks(found)).containsExactly("3");
    assertThat(found.workers()).extracting(TracedProcess::instanceId).containsExactly("3w");
    assertThat(found.others()).isEqualTo(7);
  }

  @Test
  void workerOfASlowHostWasRestarted_theHostIsNamed() {
    restartAt = 10;
    assertThat(only(8, rank -> rank < 4 ? 1.5 : 1).host()).isEqualTo("host0");
  }

  @Test
  void allGotSlowerButOneMuchMore_isNotAlone() {
    SlowerWorkers found = only(8, rank -> rank == 3 ? 2 : 1.2);
    assertThat(ranks(found)).containsExactly("3");
    assertThat(found.areAlone()).isFalse();
  }

  /** Process ids differ, and nothing else tells which worker was which. */
  @Test
  void workersWithoutAStableName_oneIsSlowerThanAnyBefore() {
    workersBefore = worker -> "wx" + letter(worker);
    workersAfter = worker -> "wy" + letter(worker);
    SlowerWorkers found = only(8, worker -> worker == 3 ? 1.5 : 1);
    assertThat(found.workers())
        .extracting(TracedProcess::instanceId)
        .containsExactly("wy" + letter(3));
    assertThat(found.areMatched()).isFalse();
    assertThat(found.others()).isEqualTo(7);
  }

  /** The same worker is slow in both runs, and all of the later run are slower. */
  @Test
  void slowWorkerOfBothRuns_isNotWhatChanged() {
    for (IntFunction<String> names : List.<IntFunction<String>>of(RANKS, rank -> "w" + rank)) {
      workersAfter = names;
      RunTotals before = run(8, rank -> rank == 3 ? 2 : 1, workersBefore);
      RunTotals after = run(8, rank -> rank == 3 ? 2.4 : 1.2, workersAfter);
      Comparison comparison = new Comparison(before, after);
      assertThat(comparison.steps().isSlower()).isTrue();
      assertThat(comparison.slowerWorkers()).isEmpty();
    }
  }

  @Test
  void moreWorkersThanBefore_thoseOfTheSameRankAreCompared() {
    Comparison comparison =
        new Comparison(run(4, LIKE_BEFORE, RANKS), run(12, rank -> rank == 2 ? 1.6 : 1, RANKS));
    SlowerWorkers found = comparison.slowerWorkers().get(0);
    assertThat(ranks(found)).containsExactly("2");
    assertThat(found.others()).isEqualTo(3);
  }

  @Test
  void oneWorkerGotFaster_theOthersDidNotGetSlower() {
    saveMillis = 300;
    assertNoWorkerIsBlamed(comparison(4, rank -> rank == 0 ? 0.5 : 1));
  }

  @Test
  void fiveStepsAgainstFive_proveNothingAboutAWorker() {
    steps = 5;
    assertThat(comparison(8, rank -> rank == 3 ? 3 : 1).slowerWorkers()).isEmpty();
  }

  private static Stream<IntFunction<String>> laterWorkers() {
    return Stream.of(RANKS, worker -> "wy" + letter(worker));
  }

  /** Nothing but the driver's own work got slower, or all workers did alike. */
  @ParameterizedTest
  @MethodSource("laterWorkers")
  void workersVaryAlike_falseClaimsAreRare(IntFunction<String> later) {
    workersAfter = later;
    int wrong = 0;
    int runs = 0;
    for (double varying : new double[] {0.03, 0.2, 0.5}) {
      noise = varying;
      for (int count : new int[] {8, 15, 40}) {
        steps = count;
        for (int i = 0; i < Cases.of(60); i++) {
          saveMillis = 300;
          wrong += comparison(6, LIKE_BEFORE).slowerWorkers().isEmpty() ? 0 : 1;
          saveMillis = 0;
          wrong += comparison(6, rank -> 1.2).slowerWorkers().isEmpty() ? 0 : 1;
          runs += 2;
        }
      }
    }
    assertThat(wrong).isLessThanOrEqualTo(runs / 20);
  }

  /** A worker that is slow in one step is often slow in the next ones, too. */
  @ParameterizedTest
  @ValueSource(ints = {10, Integer.MAX_VALUE})
  void slownessLastsForSomeSteps_falseClaimsAreRareAllTheSame(int restart) {
    restartAt = restart;
    lasts = 0.8;
    noise = 0.1;
    saveMillis = 300;
    int wrong = 0;
    int runs = Cases.of(240);
    for (int i = 0; i < runs; i++) {
      wrong += comparison(8, LIKE_BEFORE).slowerWorkers().isEmpty() ? 0 : 1;
    }
    assertThat(wrong).isLessThanOrEqualTo(runs / 20);
  }

  @Test
  void farMoreWorkersThanBefore_oneIsSlowerByChance() {
    workersBefore = worker -> "wx" + letter(worker);
    workersAfter = worker -> "wy" + letter(worker);
    Comparison comparison =
        new Comparison(
            run(4, LIKE_BEFORE, workersBefore),
            run(12, worker -> worker == 3 ? 1.5 : 1.1, workersAfter));
    assertThat(comparison.slowerWorkers()).isEmpty();
  }

  /** Each worker has a pace of its own, which is no change. */
  @ParameterizedTest
  @ValueSource(doubles = {1, 1.3})
  void workersDifferAllTheTime_falseClaimsAreRare(double slower) {
    saveMillis = 300;
    int wrong = 0;
    int runs = Cases.of(200);
    for (int i = 0; i < runs; i++) {
      RunTotals before = run(8, rank -> 1 + rank / 8.0, RANKS);
      RunTotals after = run(8, rank -> slower * (1 + rank / 8.0), RANKS, saveMillis);
      Comparison comparison = new Comparison(before, after);
      assertThat(comparison.steps().isSlower()).isTrue();
      wrong += comparison.slowerWorkers().isEmpty() ? 0 : 1;
    }
    assertThat(wrong).isLessThanOrEqualTo(runs / 20);
  }

  /** Otherwise the workers would not be looked at. */
  private static void assertNoWorkerIsBlamed(Comparison comparison) {
    assertThat(comparison.steps().isSlower()).isTrue();
    assertThat(comparison.slowerWorkers()).isEmpty();
  }

  private SlowerWorkers only(int workers, IntToDoubleFunction slower) {
    List<SlowerWorkers> found = comparison(workers, slower).slowerWorkers();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private Comparison comparison(int workers, IntToDoubleFunction slower) {
    return new Comparison(
        run(workers, LIKE_BEFORE, workersBefore), run(workers, slower, workersAfter, saveMillis));
  }

  private RunTotals run(int workers, IntToDoubleFunction slower, IntFunction<String> names) {
    return run(workers, slower, names, 0);
  }

  /** Steps of generate, 100 ms by that factor, of which each step and each worker has a part. */
  private RunTotals run(
      int workers, IntToDoubleFunction slower, IntFunction<String> names, long millis) {
    Random random = new Random(++seed);
    Planted run = new Planted("run" + seed);
    long at = 0;
    double[] lasting = random.doubles(workers).map(any -> noise * random.nextGaussian()).toArray();
    long more = (long) (millis * MS);
    for (int step = 1; step <= steps; step++) {
      double ofStep = Math.exp(noise * random.nextGaussian());
      long[] nanos = new long[workers];
      long longest = 0;
      for (int rank = 0; rank < workers; rank++) {
        lasting[rank] =
            lasts * lasting[rank] + Math.sqrt(1 - lasts * lasts) * noise * random.nextGaussian();
        double ofWorker = Math.exp(lasting[rank]);
        nanos[rank] = (long) (100 * MS * ofStep * ofWorker * slower.applyAsDouble(rank));
        longest = Math.max(longest, nanos[rank]);
      }
      long root = run.span(step, 0, "pipeline_step", "driver", at, at + longest + more);
      for (int rank = 0; rank < workers; rank++) {
        for (int i = 0; i < spans; i++) {
          long start = at + i * nanos[rank] / spans;
          long end = at + (i + 1) * nanos[rank] / spans;
          boolean isRestarted = rank == 3 && step >= restartAt;
          run.span(
              step, root, "generate", isRestarted ? "3w@host0" : names.apply(rank), start, end);
        }
        if (rank == 3 && step == restartAt) {
          run.span(step, root, "generate", names.apply(rank), at, at + nanos[rank] / 2);
        }
        if (loads) {
          run.span(step, root, "load", names.apply(rank), at, at + nanos[rank] / 3);
        }
      }
      at += longest + more;
    }
    return run.analysis().totals();
  }

  private static List<String> ranks(SlowerWorkers found) {
    return found.workers().stream().map(TracedProcess::rank).toList();
  }

  private static char letter(int worker) {
    return (char) ('a' + worker);
  }
}
