package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.spans.Spans;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often chance alone makes spans look as if they waited for others. */
class WaitsByChanceTest extends WaitsFixture {

  private WaitsByChanceTest seeded(long seed) {
    random.setSeed(seed);
    return this;
  }

  /** How often chance alone makes an end look close, with single ends and with bunches of them. */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"1, 1", "3, 1", "30, 1", "200, 1", "1, 20", "3, 20", "30, 20"})
  void endOfAWait_isCloseByChanceAsOftenAsStated(int bunches, int ofBunch) {
    int waits = 20_000;
    int nanos = 1_000_000;
    SuspectedWaits.Wait wait = new SuspectedWaits.Wait(0, 0, 0, "", 0, 0, nanos);
    Spans none = new Spans();
    int close = 0;
    int closeOnEitherSide = 0;
    for (int i = 0; i < waits; i++) {
      EndsDuringWaits.Ends ends = new EndsDuringWaits.Ends();
      for (int bunch = 0; bunch < 2 * bunches; bunch++) {
        int at = random.nextInt(2 * nanos) - nanos / 2;
        for (int n = 0; n < ofBunch; n++) {
          long end = at + random.nextInt(nanos / 100);
          if (end > 0 && end <= nanos + wait.largestGapNanos()) {
            ends.see(none, wait, 0, end - nanos / 2, end);
          }
        }
      }
      close += isClose(ends, wait, false) ? 1 : 0;
      closeOnEitherSide += isClose(ends, wait, true) ? 1 : 0;
    }
    assertThat((double) close / waits).isLessThan(0.055);
    assertThat((double) closeOnEitherSide / waits).isLessThan(0.055);
  }

  private static boolean isClose(
      EndsDuringWaits.Ends ends, SuspectedWaits.Wait wait, boolean isAlsoAfter) {
    EndsDuringWaits.Nearest nearest = ends.nearest(wait, isAlsoAfter);
    if (nearest == null) {
      return false;
    }
    long gapNanos = Math.abs(nearest.epochNanos() - wait.toEpochNanos());
    return gapNanos <= wait.largestGapNanos()
        && ends.shareNear(gapNanos, wait, isAlsoAfter) <= WaitsFor.CLOSE;
  }

  /** A phase that computes for a random time, beside workers that do as well. */
  private RunAnalysis unrelated() {
    int workers = 1 + random.nextInt(6);
    int steps = 5 + random.nextInt(30);
    double at = 0;
    for (int trace = 1; trace <= steps; trace++) {
      double took = between(50, 400);
      long step = span(trace, 0, "pipeline_step", "driver", at, at + took + 5);
      span(trace, step, "compute", "driver", at + 1, at + took);
      at += took + between(5, 40);
    }
    for (int worker = 0; worker < workers; worker++) {
      double most = between(20, 600);
      boolean isRegular = random.nextBoolean();
      double moment = between(0, 100);
      for (int i = 0; moment < at; i++) {
        double took = isRegular ? most : between(5, most);
        span(10_000L * (worker + 1) + i, 0, "work" + worker, "w", moment, moment + took);
        moment += took + between(0, 20);
      }
    }
    return planted.analysis();
  }

  @Test
  void unrelatedWork_isHardlyEverWaitedFor() {
    int runs = Cases.of(4_000);
    int claimed = 0;
    for (int seed = 0; seed < runs; seed++) {
      claimed += waits(new WaitsByChanceTest().seeded(seed).unrelated()).isEmpty() ? 0 : 1;
    }
    assertThat(claimed).isLessThanOrEqualTo(runs / 100);
  }

  @ParameterizedTest
  @CsvSource({"4, 5, 0.05, 0.00003", "8, 10, 0.5, 0.0546875", "0, 7, 0.2, 1", "20, 20, 0.05, 0"})
  void tail_isThatOfTheBinomialDistribution(int least, int of, double each, double tail) {
    assertThat(SlowProcesses.atLeast(least, of, each)).isCloseTo(tail, within(1e-7));
  }
}
