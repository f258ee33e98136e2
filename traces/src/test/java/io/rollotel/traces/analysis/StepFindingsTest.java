package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps that take longer than others: which pattern they follow, and what they cost. */
class StepFindingsTest {

  private final Planted planted = new Planted();

  private void steps(int count, IntUnaryOperator nanos) {
    long at = 0;
    for (int step = 0; step < count; step++) {
      planted.span(step + 1, 0, "pipeline_step", "driver", at, at + nanos.applyAsInt(step));
      at += nanos.applyAsInt(step) + 1;
    }
  }

  @ParameterizedTest
  @CsvSource({
    // what, steps, first slow, distance or 0, how many, usual, slow, saves
    "SLOW_STEP, 20, 7, 0, 1, 100, 250, 150",
    "SLOW_STEP, 3, 1, 0, 1, 100, 250, 150",
    "WARM_UP, 20, 0, 1, 2, 100, 300, 400",
    "PERIODIC_STEP, 40, 9, 10, 4, 100, 180, 320",
  })
  void longSteps_areOfTheirKind(
      Kind kind, int count, int first, int distance, int many, int usual, int slow, long saves) {
    steps(
        count,
        step -> {
          int place = step - first;
          boolean isSlow =
              place >= 0
                  && place <= (many - 1) * Math.max(1, distance)
                  && (distance == 0 ? place == 0 : place % distance == 0);
          return (isSlow ? slow : usual) + step % 3;
        });
    List<Finding> found =
        planted.analysis().findings().stream()
            .filter(finding -> !finding.steps().isEmpty())
            .toList();
    assertThat(found).hasSize(1);
    assertThat(found.get(0).kind()).isEqualTo(kind);
    assertThat(found.get(0).steps()).hasSize(many);
    assertThat(found.get(0).savesNanos()).isCloseTo(saves, within(2L * many));
    assertThat(found.get(0).evidence()).hasSize(many);
    assertThat(found.get(0).ratio()).isCloseTo((double) slow / usual, within(0.05));
    assertThat(found.get(0).times()).isEqualTo(kind == Kind.PERIODIC_STEP ? distance : many);
  }

  /** Each step has a rollout and an update, and some have a save as well. */
  @ParameterizedTest
  @CsvSource({
    // rollout, update, save of a usual step and of a slow one; what explains it
    "60, 30, 0,   60, 30, 50,  save",
    "60, 30, 0,  120, 30,  0,  rollout",
    "60, 30, 0,   60, 90,  0,  update",
    "60, 30, 0,  120, 60,  0,  ''", // all alike
    "60, 30, 0,   90, 70,  0,  ''",
    "90,  5, 0,  180, 10,  0,  ''",
    "90,  5, 0,  180,  5,  0,  rollout",
    "30, 30, 5,   30, 30, 60,  save",
  })
  void longSteps_haveThePhaseThatMakesThemLonger(
      int rollout,
      int update,
      int save,
      int slowRollout,
      int slowUpdate,
      int slowSave,
      String part) {
    long at = 0;
    for (int step = 0; step < 20; step++) {
      boolean isSlow = step == 7;
      long id = 10L * step + 1;
      long rolled = at + (isSlow ? slowRollout : rollout);
      long updated = rolled + (isSlow ? slowUpdate : update);
      long saved = updated + (isSlow ? slowSave : save);
      planted.span(1, id, 0, "pipeline_step", "driver", at, saved);
      planted.span(1, id + 1, id, "rollout", "driver", at, rolled);
      planted.span(1, id + 2, id, "update", "driver", rolled, updated);
      planted.span(1, id + 3, id, "save", "driver", updated, saved);
      at = saved + 1;
    }
    RunAnalysis run = planted.analysis();
    Finding slow =
        run.findings().stream()
            .filter(one -> one.kind() == Kind.SLOW_STEP)
            .findFirst()
            .orElseThrow();
    int found = slow.below().part();
    assertThat(found < 0 ? "" : run.spans().names().text(found)).isEqualTo(part);
    assertThat(run.steps().longerPart(slow.steps().get(0))).isEqualTo(found);
  }

  /**
   * A quarter of a million steps, the first fifth slow, and a deep chain of calls: minutes if
   * squared.
   */
  @Tag("campaign")
  @Test
  void hugeRun_isLinear() {
    steps(250_000, step -> step < 49_000 ? 300 : 100 + step % 3);
    long at = 500_000_000;
    long end = at + 1_000_000;
    long caller = planted.span(250_001, 0, "pipeline_step", "driver", at, end);
    for (int depth = 1; depth < 100_000; depth++) {
      caller = planted.span(250_001, caller, "ask", "w" + depth % 2, at + depth, end - depth);
    }
    List<Finding> found = planted.analysis().findings();
    assertThat(found).extracting(Finding::kind).contains(Kind.WARM_UP);
    assertThat(found.get(0).steps()).hasSize(49_000);
  }

  @Test
  void stepsThatGetLonger_areATrend() {
    steps(40, step -> 135 + step * (744 - 135) / 39);
    List<Finding> found = planted.analysis().findings();
    assertThat(found).extracting(Finding::kind).containsExactly(Kind.TREND);
    assertThat(found.get(0).ratio()).isCloseTo(646.0 / 228, within(0.2));
    assertThat(found.get(0).evidence()).hasSize(2);
  }
}
