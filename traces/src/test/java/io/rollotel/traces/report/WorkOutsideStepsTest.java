package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Traces that ran beside steps and belong to none. */
class WorkOutsideStepsTest {

  private final Planted planted = new Planted().inUnitsOf(1_000_000);

  /** Ten steps of 100, each of which waits for a call without a context. */
  private void steps(long callNanos) {
    for (int step = 1; step <= 10; step++) {
      long at = 1_000 + 100 * step;
      long root = planted.span(step, 0, "pipeline_step", "driver", at, at + 99);
      planted.span(step, root, "generate", "w1", at, at + 40);
      planted.span(100 + step, 0, "worker.reward", "w2", at + 40, at + 40 + callNanos);
    }
  }

  @Test
  void callsWithoutAContext_areCountedBesideTheSteps() {
    steps(50);
    planted.span(200, 0, "worker.load", "w2", 10, 900); // before the first step
    planted.span(201, 0, "worker.save", "w2", 3_000, 3_900); // after the last one
    assertThat(PlantedReport.printed(planted))
        .contains(
            "10 traces of worker.reward (500 ms) ran between the first step and the last but belong"
                + " to none")
        .doesNotContain("of worker.load", "of worker.save");
    List<?> rows =
        (List<?>) ((Map<?, ?>) Json.parse(PlantedReport.json(planted))).get("workOutsideSteps");
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).toString())
        .startsWith("{name=worker.reward, traces=10, totalNanos=500000000, longest={");
  }

  @Test
  void callsThatTakeNoTime_areNotWorthALine() {
    steps(0);
    assertThat(PlantedReport.printed(planted)).doesNotContain("belong to none");
  }

  @Test
  void runWithoutSteps_hasNoWorkOutsideOfThem() {
    for (int trace = 1; trace <= 10; trace++) {
      planted.span(trace, 0, "worker.reward", "w2", 10 * trace, 10 * trace + 9);
    }
    assertThat(PlantedReport.printed(planted)).doesNotContain("belong to none");
  }
}
