package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A step of 550: the phase {@code ask} sends the call {@code score} and gives up after some time,
 * {@code compile} follows until 350, and {@code answer} until 550.
 */
class AbandonedCallsTest {

  private final Planted planted = new Planted();

  private RunAnalysis run(long askEnd, long scoreEnd) {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 550);
    long ask = planted.span(1, step, "ask", "driver", 0, askEnd);
    planted.span(1, ask, "score", "worker", 2, scoreEnd, "kind", Span.SERVER);
    planted.span(1, step, "compile", "driver", askEnd, 350);
    planted.span(1, step, "answer", "driver", 350, 550);
    return planted.analysis();
  }

  @ParameterizedTest
  @CsvSource({
    // the end of ask, and of score
    "50, 250", // within compile
    "50, 370", // within answer
    "50, 450",
    "300, 500",
  })
  void callerGaveUp_theStepsPhasesAreItsOwn(long askEnd, long scoreEnd) {
    RunAnalysis run = run(askEnd, scoreEnd);
    assertThat(phases(run))
        .isEqualTo(Map.of("ask", askEnd, "compile", 350 - askEnd, "answer", 200L));
    assertThat(path(run)).isEqualTo(phases(run));
    assertThat(run.overlappedWork())
        .singleElement()
        .satisfies(
            work -> {
              assertThat(run.spans().names().text(work.name())).isEqualTo("score");
              assertThat(work.totalNanos()).isEqualTo(scoreEnd - 2);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "5, 370", // ask only sends it
    "50, 545", // answer may have collected the result
    "50, 552", // the step, or what it does after its last phase, may have
  })
  void stepMayHaveWaited_theCallIsAPhase(long askEnd, long scoreEnd) {
    RunAnalysis run = run(askEnd, scoreEnd);
    assertThat(phases(run)).containsKey("score");
    assertThat(run.overlappedWork()).isEmpty();
  }

  /** A dispatch sends 16 calls one after the other, and collect waits for all of them. */
  @ParameterizedTest
  @CsvSource({"400, 545", "300, 300", "450, 520"})
  void fanOutIsCollectedLater_itWasWaitedFor(long usualEnd, long lastEnd) {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 550);
    long dispatch = planted.span(1, step, "dispatch", "driver", 0, 100);
    for (int call = 0; call < 16; call++) {
      long end = call == 15 ? lastEnd : usualEnd;
      planted.span(1, dispatch, "score", "w" + call, 6 * call, end, "kind", Span.SERVER);
    }
    planted.span(1, step, "collect", "driver", 100, 550);
    RunAnalysis run = planted.analysis();
    assertThat(run.overlappedWork()).isEmpty();
    assertThat(run.singleFanOuts()).singleElement();
  }

  /** The step waits in its own code, while something else runs now and then. */
  @Test
  void stepHasOnlyABackgroundChild_theCallWasWaitedFor() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 5000);
    long ask = planted.span(1, step, "ask", "driver", 0, 500);
    planted.span(1, ask, "score", "worker", 20, 4800, "kind", Span.SERVER);
    planted.span(1, step, "heartbeat", "driver", 4700, 4990);
    assertThat(planted.analysis().overlappedWork()).isEmpty();
  }

  /** Tasks on an executor send a call each, and the step joins them. */
  @Test
  void callersRunBesideEachOther_theirCallsWereWaitedFor() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 1000);
    for (int task = 0; task < 8; task++) {
      long at = 50 * task;
      long caller = planted.span(1, step, "task", "driver", at, at + 100);
      planted.span(1, caller, "score", "worker", at + 10, at + 460, "kind", Span.SERVER);
    }
    assertThat(planted.analysis().overlappedWork()).isEmpty();
  }

  /** Four callers side by side: that of rank 2 gives up at 100 and asks rank 3. */
  @ParameterizedTest
  @CsvSource({"100, 300", "100, 420", "60, 300"})
  void callerAsksAnotherWorker_theFirstCallIsNoPhase(long timeout, long lostEnd) {
    long rolloutEnd = timeout + 55;
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 600);
    long rollout = planted.span(1, step, "rollout", "driver", 0, rolloutEnd);
    for (int rank = 0; rank < 4; rank++) {
      boolean isLost = rank == 2;
      long ask = planted.span(1, rollout, "ask", "driver", 1, isLost ? timeout + 53 : 54);
      planted.span(1, ask, "generate", "w" + rank, 2, isLost ? lostEnd : 52, "kind", Span.SERVER);
      if (isLost) {
        planted.span(1, ask, "generate", "w3", timeout + 2, timeout + 52, "kind", Span.SERVER);
      }
    }
    planted.span(1, step, "train", "driver", rolloutEnd, rolloutEnd + 35);
    planted.span(1, step, "reward", "driver", rolloutEnd + 35, 600);
    RunAnalysis run = planted.analysis();
    assertThat(phases(run))
        .isEqualTo(Map.of("rollout", rolloutEnd, "train", 35L, "reward", 565 - rolloutEnd));
    assertThat(run.overlappedWork())
        .singleElement()
        .satisfies(work -> assertThat(work.totalNanos()).isEqualTo(lostEnd - 2));
    assertThat(run.singleFanOuts())
        .allSatisfy(fanOut -> assertThat(run.spans().nanos(fanOut.lastSpan())).isEqualTo(50));
  }

  /** Two attempts time out, and the third one succeeds. */
  @Test
  void callerAsksThreeTimes_onlyTheLastCallIsWaitedFor() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 900);
    long ask = planted.span(1, step, "ask", "driver", 0, 250);
    planted.span(1, ask, "generate", "w1", 0, 400, "kind", Span.SERVER);
    planted.span(1, ask, "generate", "w2", 100, 500, "kind", Span.SERVER);
    planted.span(1, ask, "generate", "w3", 200, 249, "kind", Span.SERVER);
    planted.span(1, step, "train", "driver", 250, 900);
    assertThat(phases(planted.analysis())).isEqualTo(Map.of("ask", 250L, "train", 650L));
  }

  /** A dispatch sends a long call first, then a short one that it waits for. */
  @ParameterizedTest
  @CsvSource({
    "10, 95", // at once
    "40, 95", // a little later, but sooner than the short one takes
    "60, 120", // the short one outlives the dispatch as well
  })
  void callerGoesOnSending_theLongCallWasWaitedFor(long secondStart, long secondEnd) {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 550);
    long dispatch = planted.span(1, step, "dispatch", "driver", 0, 100);
    planted.span(1, dispatch, "score", "w1", 2, 400, "kind", Span.SERVER);
    planted.span(1, dispatch, "score", "w2", secondStart, secondEnd, "kind", Span.SERVER);
    planted.span(1, step, "collect", "driver", 100, 550);
    assertThat(planted.analysis().overlappedWork()).isEmpty();
  }

  /** After the first call, the caller does something else: it did not wait for that call. */
  @Test
  void callerBeginsOtherWork_theCallWasWaitedFor() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 550);
    long rollout = planted.span(1, step, "rollout", "driver", 0, 160);
    planted.span(1, rollout, "score", "w1", 2, 400, "kind", Span.SERVER);
    planted.span(1, rollout, "generate", "w2", 80, 100, "kind", Span.SERVER);
    planted.span(1, rollout, "score", "w2", 120, 150, "kind", Span.SERVER);
    planted.span(1, step, "collect", "driver", 160, 550);
    assertThat(planted.analysis().overlappedWork()).isEmpty();
  }

  /** What the abandoned call has begun is no phase either. */
  @Test
  void abandonedCallCallsOthers_theyAreAbandonedToo() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 5500);
    long ask = planted.span(1, step, "ask", "driver", 0, 500);
    long score = planted.span(1, ask, "score", "worker", 20, 2500, "kind", Span.SERVER);
    planted.span(1, score, "persist", "worker", 2400, 4000);
    planted.span(1, step, "compile", "driver", 500, 3500);
    planted.span(1, step, "answer", "driver", 3500, 5500);
    RunAnalysis run = planted.analysis();
    assertThat(phases(run)).isEqualTo(Map.of("ask", 500L, "compile", 3000L, "answer", 2000L));
    assertThat(path(run)).isEqualTo(phases(run));
  }

  private static Map<String, Long> phases(RunAnalysis run) {
    Map<String, Long> phases = new TreeMap<>();
    for (Steps.PhaseTime phase : run.steps().all().get(0).phases()) {
      phases.put(run.spans().names().text(phase.name()), phase.nanos());
    }
    return phases;
  }

  private static Map<String, Long> path(RunAnalysis run) {
    Map<String, Long> path = new TreeMap<>();
    run.criticalPath()
        .follow(
            run.steps().all().get(0).span(),
            (span, isQueueWait, from, to) ->
                path.merge(run.spans().nameOf(span), to - from, Long::sum));
    return path;
  }
}
