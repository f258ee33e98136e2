package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers whose calls are traces of their own, because nobody sends them a context. */
class RootWorkTest {

  private final Planted planted = new Planted();
  private final Random random = new Random(1);
  private int traces;
  private long at;

  private interface Nanos {
    long of(int worker);
  }

  /** Calls of each worker in turn, a trace each, with a phase inside that it does itself. */
  private RootWorkTest calls(int of, int workers, Nanos nanos) {
    for (int call = 0; call < of; call++) {
      for (int worker = 0; worker < workers; worker++) {
        long took = nanos.of(worker);
        String process = "w" + worker + "@host" + worker / 2;
        long root = planted.span(++traces, 0, "train", process, at, at + took);
        planted.span(traces, root, "forward", process, at + 5, at + took - 5);
        at += took;
      }
    }
    return this;
  }

  private long varied(long nanos) {
    return nanos * 9 / 10 + random.nextLong(nanos / 5);
  }

  private List<Finding> found(Kind kind) {
    return planted.analysis().findings().stream()
        .filter(finding -> finding.kind() == kind)
        .toList();
  }

  private List<Finding> slow() {
    return found(Kind.SLOW_WORKER);
  }

  @Test
  void slowWorker_isFoundWithoutFanOutsAndSavesWhatItTakesLonger() {
    RunAnalysis run = calls(20, 4, worker -> worker == 3 ? 340 : 100).planted.analysis();

    assertThat(slow())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(run.spans().processes().get(finding.processes().get(0)).instanceId())
                  .isEqualTo("w3");
              assertThat(run.spans().names().text(finding.name())).isEqualTo("train");
              assertThat(finding.ratio()).isEqualTo(3.4);
              assertThat(finding.times()).isEqualTo(20);
              assertThat(finding.of()).isEqualTo(20);
              assertThat(finding.savesNanos()).isEqualTo(20 * 240L);
              assertThat(run.spans().name(finding.evidence().get(0))).isEqualTo(finding.name());
            });
    assertThat(found(Kind.IMBALANCE)).as("nobody shared the work out").isEmpty();
  }

  @Test
  void workersOfOneHostAreSlow_itIsTheHost() {
    calls(20, 6, worker -> worker / 2 == 2 ? varied(400) : varied(200));

    assertThat(slow()).isEmpty();
    assertThat(found(Kind.SLOW_HOST))
        .singleElement()
        .satisfies(finding -> assertThat(finding.host()).isEqualTo("host2"));
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 100, 3_000})
  void workersThatVary_areNotSlow(int calls) {
    calls(calls, 4, worker -> varied(100 + random.nextInt(1_000)));

    assertThat(slow()).isEmpty();
  }

  /** By chance, at most one run in twenty may have a worker that seems slow. */
  @ParameterizedTest
  @CsvSource({"6, 6, 2", "20, 20, 3", "50, 50, 3", "1, 100, 2", "1, 40, 4", "100, 100, 5"})
  void equalWorkers_areRarelyBlamed(int fewest, int most, int workers) {
    int blamed = 0;
    int runs = 200;
    for (int run = 0; run < runs; run++) {
      RootWorkTest test = new RootWorkTest();
      test.random.setSeed(run);
      for (int worker = 0; worker < workers; worker++) {
        for (int call = worker == 0 ? most - fewest : 0; call < most; call++) {
          long took = 10 + (long) (-1_000 * Math.log(1 - test.random.nextDouble()));
          test.planted.span(++test.traces, 0, "train", "w" + worker, test.at, test.at + took);
          test.at += took;
        }
      }
      blamed += test.slow().isEmpty() ? 0 : 1;
    }
    assertThat((double) blamed / runs).isLessThanOrEqualTo(0.05);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, 2, 0.5",
    "5, 5, 5, 10, 0.003968253968253968", // one of 252
    "0, 5, 5, 10, 1",
    "3, 5, 4, 10, 0.2619047619047619",
    "20, 20, 20, 1000020, 0", // none to speak of
    "500, 1000, 1000, 2000, 0.517834551951791",
  })
  void atLeast_isTheTailOfTheHypergeometricDistribution(
      long slower, long count, long slowerOfAll, long all, double expected) {
    assertThat(SlowProcesses.atLeast(slower, count, slowerOfAll, all))
        .isCloseTo(expected, within(1e-7));
  }

  /** The median of one is a short call, that of the other a long one. */
  @Test
  void workerWithMoreLongCalls_isNotSlow() {
    calls(200, 2, worker -> random.nextInt(20) < (worker == 0 ? 8 : 12) ? 1_000 : 100);

    assertThat(slow()).isEmpty();
  }

  @Test
  void fewCalls_proveNothing() {
    calls(5, 2, worker -> worker == 1 ? 340 : 100);

    assertThat(slow()).isEmpty();
  }

  @Test
  void otherServices_areNoPeers() {
    for (int i = 0; i < 50; i++) {
      planted.span(++traces, 0, "GET /", "shop" + i % 2, at, at + 100);
      planted.span(++traces, 0, "GET /", "bank" + i % 2, at, at + 900);
      at += 1_000;
    }

    assertThat(slow()).isEmpty();
  }

  /** Each asks a shard of its own, and one shard is slow. */
  @Test
  void workerThatWaitsForSlowServer_isNotSlow() {
    for (int i = 0; i < 50; i++) {
      int worker = i % 2;
      long took = worker == 0 ? 100 : 900;
      long root = planted.span(++traces, 0, "train", "w" + worker, at, at + 50 + took);
      long sent =
          planted.span(
              traces, root, "POST", "w" + worker, at + 20, at + 30 + took, "kind", Span.CLIENT);
      planted.span(
          traces, sent, "POST /", "db" + worker, at + 25, at + 25 + took, "kind", Span.SERVER);
      at += 1_000;
    }

    assertThat(slow()).isEmpty();
  }

  /** Traces that stand for others count once: they prove no more than themselves. */
  @Test
  void sampledTraces_proveNoMoreThanThemselves() {
    planted.standingFor(100);
    calls(5, 2, worker -> worker == 1 ? 340 : 100);
    assertThat(slow()).isEmpty();

    calls(15, 2, worker -> worker == 1 ? 340 : 100);
    assertThat(slow())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.of()).isEqualTo(20);
              assertThat(finding.savesNanos()).isEqualTo(100 * 20 * 240L);
            });
  }

  @Test
  void runWithSteps_comparesWorkersInItsStepsOnly() {
    calls(20, 4, worker -> worker == 3 ? 340 : 100);
    planted.span(++traces, 0, "pipeline_step", "driver", at, at + 100);

    assertThat(slow()).isEmpty();
  }
}
