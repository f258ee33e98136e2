package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A run of which not all traces were taken has the totals of the whole run. */
class WeightedRunTest {

  private static final int WORKERS = 3;

  /** One trace: a driver's call, a fan-out of which the last worker is slow, and a failed call. */
  private static void trace(Planted run, long trace, long at, long lasts) {
    long root = run.span(trace, 0, "job", "driver", at, at + lasts + 50);
    for (int worker = 0; worker < WORKERS; worker++) {
      run.span(
          trace,
          root,
          "parse",
          "w" + worker,
          at + 10,
          at + lasts + worker,
          "roll.queue_ns",
          worker == 0 ? -5L : 10L);
    }
    run.span(trace, root, "store", "w0", at + lasts + 20, at + lasts + 40, "failure", "full");
  }

  @Test
  void tracesThatStandForFour_addUpToFourOfEach() {
    Planted all = new Planted();
    Planted taken = new Planted().standingFor(4);
    for (int i = 0; i < 200; i++) {
      long lasts = 1_000 + 10L * (i / 4);
      trace(all, 1 + i, 10_000L * i, lasts);
      if (i % 4 == 0) {
        trace(taken, 1 + i, 10_000L * i, lasts);
      }
    }
    assertSameTotals(taken.analysis(), all.analysis());
    assertThat(taken.analysis().problems().traces()).isEqualTo(50);
    assertThat(taken.analysis().problems().standsForTraces()).isEqualTo(200);
    assertThat(taken.analysis().problems().standsForSpans()).isEqualTo(200 * 5);
  }

  @Test
  void levelsThatRise_addUpToWhatThereWas() {
    Planted all = new Planted();
    Planted taken = new Planted();
    for (int i = 0; i < 256; i++) {
      int level = i / 64; // all, then one in 2, 4 and 8
      long lasts = 1_000 + 100L * level;
      trace(all, 1 + i, 10_000L * i, lasts);
      if (i % (1 << level) == 0) {
        trace(taken.standingFor(1 << level), 1 + i, 10_000L * i, lasts);
      }
    }
    assertSameTotals(taken.analysis(), all.analysis());
  }

  @Tag("campaign")
  @Test
  void tracesTakenAtRandom_areCloseToWhatThereWas() {
    Random random = new Random(7);
    Planted all = new Planted();
    Planted taken = new Planted().standingFor(8);
    for (int i = 0; i < 20_000; i++) {
      long lasts = 500 + random.nextInt(1_000);
      trace(all, 1 + i, 10_000L * i, lasts);
      if (random.nextInt(8) == 0) {
        trace(taken, 1 + i, 10_000L * i, lasts);
      }
    }
    RunAnalysis whole = all.analysis();
    RunAnalysis thinned = taken.analysis();
    for (NameTotals truth : whole.nameTotals()) {
      NameTotals found = of(thinned, truth.name());
      assertThat((double) found.count()).isCloseTo(truth.count(), within(0.08 * truth.count()));
      assertThat((double) found.totalNanos())
          .isCloseTo(truth.totalNanos(), within(0.08 * truth.totalNanos()));
      assertThat((double) found.percentile(95))
          .isCloseTo(truth.percentile(95), within(0.05 * truth.percentile(95)));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1, false", "1, 8, false", "2, 1, true", "2, 8, true"})
  void straggler_isAlwaysTheSameWhereItWasSeenMoreThanOnce(
      int traces, double weight, boolean isAlwaysTheSame) {
    Planted run = new Planted().standingFor(weight);
    for (int i = 0; i < traces; i++) {
      trace(run, 1 + i, 10_000L * i, 1_000);
    }
    FanOuts.Totals fanOuts = run.analysis().fanOuts().get(0);
    assertThat(fanOuts.fanOuts()).isEqualTo(Math.round(traces * weight));
    assertThat(fanOuts.isAlwaysTheSame()).isEqualTo(isAlwaysTheSame);
  }

  @Test
  void spanWithoutAState_countsAsItsTrace() {
    Planted run = new Planted().standingFor(16);
    long root = run.span(1, 0, "job", "driver", 0, 100);
    run.standingFor(1).span(1, root, "parse", "w0", 10, 20); // recovered, say
    run.span(2, 0, "job", "driver", 200, 300);
    RunAnalysis analysis = run.analysis();
    assertThat(of(analysis, "parse").count()).isEqualTo(16);
    assertThat(of(analysis, "job").count()).isEqualTo(17);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "1, 4", "4, 2"})
  void endsOfCalls_countAsTheyWereThinnedOut(int oneSenderIn, int oneReceiverIn) {
    Planted run = new Planted();
    int calls = 1_000;
    for (int i = 0; i < calls; i++) {
      String[] join = {CallJoins.JOIN, "ray.task_id", "ray.task_id", "task-" + i};
      if (i % oneSenderIn == 0) {
        run.standingFor(oneSenderIn);
        long job = run.span(1 + 2L * i, 0, "job", "driver", 100L * i, 100L * i + 90);
        run.span(1 + 2L * i, job, "send", "driver", 100L * i, 100L * i + 10, with(join, 4));
      }
      if (i % oneReceiverIn == 0) {
        run.standingFor(oneReceiverIn);
        long received =
            run.span(2 + 2L * i, 0, "receive", "w1", 100L * i + 5, 100L * i + 50, with(join, 5));
        run.standingFor(1); // without its state
        run.span(2 + 2L * i, received, "parse", "w1", 100L * i + 6, 100L * i + 40);
      }
    }
    Spans spans = new Spans();
    CallJoins joins = new CallJoins();
    run.spans().forEach(joins::see);
    run.spans().forEach(spans::add);
    spans.joinCalls(joins);
    RunAnalysis analysis = Planted.analysis(spans, "planted");
    for (String name : List.of("job", "send", "receive", "parse")) {
      assertThat(of(analysis, name).count()).as(name).isEqualTo(calls);
    }
    assertThat(analysis.problems().standsForSpans()).isEqualTo(4 * calls);
    assertThat(spans.isWeighted()).isEqualTo(oneSenderIn * oneReceiverIn > 1);
  }

  private static Object[] with(String[] join, int kind) {
    return new Object[] {join[0], join[1], join[2], join[3], "kind", kind};
  }

  private static void assertSameTotals(RunAnalysis found, RunAnalysis truth) {
    assertThat(found.nameTotals()).hasSameSizeAs(truth.nameTotals());
    for (NameTotals name : truth.nameTotals()) {
      assertThat(results(of(found, name.name()))).isEqualTo(results(name));
    }
    assertThat(found.steps().count()).isEqualTo(truth.steps().count());
    assertThat(found.steps().wallNanos()).isEqualTo(truth.steps().wallNanos());
    assertThat(found.steps().restNanos()).isEqualTo(truth.steps().restNanos());
    assertThat(found.steps().medianWallNanos()).isEqualTo(truth.steps().medianWallNanos());
    assertThat(found.steps().phases()).isEqualTo(truth.steps().phases());
    assertThat(found.path().totalNanos()).isEqualTo(truth.path().totalNanos());
    assertThat(found.path().names()).isEqualTo(truth.path().names());
    assertThat(found.path().processes()).isEqualTo(truth.path().processes());
    assertThat(found.queues()).isEqualTo(truth.queues());
    assertThat(found.problems().errors()).isEqualTo(truth.problems().errors());
    assertThat(found.problems().failures().get(0).count())
        .isEqualTo(truth.problems().failures().get(0).count());
    FanOuts.Totals fanOuts = found.fanOuts().get(0);
    FanOuts.Totals trueFanOuts = truth.fanOuts().get(0);
    assertThat(fanOuts.fanOuts()).isEqualTo(trueFanOuts.fanOuts());
    assertThat(fanOuts.costNanos()).isEqualTo(trueFanOuts.costNanos());
    assertThat(fanOuts.lagNanos()).isEqualTo(trueFanOuts.lagNanos());
    assertThat(fanOuts.stragglers()).isEqualTo(trueFanOuts.stragglers());
  }

  private static List<Long> results(NameTotals totals) {
    return List.of(
        totals.count(),
        totals.totalNanos(),
        totals.selfNanos(),
        totals.meanNanos(),
        totals.errors(),
        totals.percentile(1),
        totals.percentile(50),
        totals.percentile(95),
        totals.percentile(100));
  }

  private static NameTotals of(RunAnalysis run, String name) {
    return run.nameTotals().stream()
        .filter(totals -> totals.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
