package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The time between steps, which no phase and no path has. */
class BetweenStepsTest {

  private static final int STEPS = 10;

  private final Planted planted = new Planted().inUnitsOf(1_000_000);

  /** Steps of 100 with a gap after each; returns the end of the last gap. */
  private long epoch(long epoch, long at, long gap, int trace, long parent) {
    for (int step = 0; step < STEPS; step++) {
      long id = 1000 * epoch + 10 * step;
      planted.span(trace, id + 1, parent, "pipeline_step", "driver", at, at + 100);
      planted.span(trace, id + 2, id + 1, "generate", "w1", at, at + 100);
      at += 100 + gap;
    }
    return at;
  }

  @ParameterizedTest
  @CsvSource({
    "0, ''",
    "4, ''",
    "10, 'besides, no step ran for 90.0 ms, 8.3% of the time from the first to the last'",
    "100, 'besides, no step ran for 900 ms, 47% of the time from the first to the last'",
  })
  void timeBetweenSteps_isSaidIfItMatters(long gap, String line) {
    epoch(1, 1000, gap, 1, 0);
    if (line.isEmpty()) {
      assertThat(PlantedReport.printed(planted)).doesNotContain("no step ran");
    } else {
      assertThat(PlantedReport.printed(planted)).contains(line + " 100%");
    }
    assertThat(json().containsKey("betweenSteps")).isEqualTo(gap > 0);
  }

  @Test
  void spansBesideTheSteps_areNamed() {
    planted.span(1, 1, 0, "training", "driver", 0, 10_000);
    long at = 1000;
    for (long epoch = 1; epoch <= 3; epoch++) {
      long id = 100_000 + 10 * epoch;
      planted.span(1, id, 1, "epoch", "driver", at, at + 1500);
      planted.span(1, id + 1, id, "evaluate", "driver", at + 1000, at + 1400);
      planted.span(1, id + 2, id + 1, "worker.evaluate", "w1", at + 1001, at + 1399);
      planted.span(1, id + 3, id, "watch", "driver", at, at + 1500); // beside all of it
      planted.span(1, id + 4, id, "log", "driver", at + 1400, at + 1401);
      epoch(epoch, at, 0, 1, id);
      at += 1500;
    }
    // The last evaluation is after the last step.
    assertThat(PlantedReport.printed(planted))
        .contains("besides, no step ran for 1.00 s, 25% of the time from the first to the last:")
        .contains("last: watch 1.00 s, evaluate 800 ms 100%");
    Map<?, ?> between = (Map<?, ?>) json().get("betweenSteps");
    assertThat(between.get("nanos")).hasToString("1000000000");
    assertThat((List<?>) between.get("work")).hasSize(3);
    assertThat(((List<?>) between.get("work")).get(1).toString())
        .startsWith("{name=evaluate, count=2, totalNanos=800000000, longest={");
  }

  @Test
  void tracesWithoutSteps_haveNothingBetweenThem() {
    for (int trace = 1; trace <= STEPS; trace++) {
      planted.span(trace, 0, "request", "driver", 100L * trace, 100L * trace + 10);
    }
    assertThat(PlantedReport.printed(planted)).doesNotContain("no step ran");
    assertThat(json().containsKey("betweenSteps")).isFalse();
  }

  private Map<?, ?> json() {
    return (Map<?, ?>) Json.parse(PlantedReport.json(planted));
  }
}
