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
