package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.ThinnedCount.Interval;
import io.rollotel.traces.kit.Planted;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a count of thinned out traces says of how many there were. */
class ThinnedCountTest {

  /** Slow ones are always kept, and of the others one in so many, by independent chances. */
  @ParameterizedTest
  @CsvSource({"2_000, 2", "2_000, 8", "20_000, 100"})
  void interval_holdsTheTruthInNineteenOfTwentyRuns(String all, int oneIn) {
    int traces = Integer.parseInt(all.replace("_", ""));
    Random random = new Random(1);
    int runs = 1_000;
    int held = 0;
    for (int run = 0; run < runs; run++) {
      ThinnedCount spans = new ThinnedCount();
      long truth = 0;
      for (int trace = 0; trace < traces; trace++) {
        boolean isSlow = random.nextInt(50) == 0;
        int size = 1 + random.nextInt(isSlow ? 100 : 10);
        truth += size;
        if (isSlow || random.nextInt(oneIn) == 0) {
          for (int span = 0; span < size; span++) {
            spans.add(isSlow ? 1 : oneIn);
          }
          spans.endTrace();
        }
      }
      Interval interval = spans.interval();
      held += interval.low() <= truth && truth <= interval.high() ? 1 : 0;
    }
    assertThat(held).isBetween(930, 970);
  }

  @Test
  void tracesThatStandForThemselves_areCountedExactly() {
    ThinnedCount traces = new ThinnedCount();
    for (int trace = 0; trace < 7; trace++) {
      traces.add(1);
      traces.endTrace();
    }
    assertThat(traces.count()).isEqualTo(7);
    assertThat(traces.interval()).isEqualTo(new Interval(7, 7));
  }

  @Test
  void fewTraces_areNotFewerThanWereTaken() {
    ThinnedCount traces = new ThinnedCount();
    traces.add(1_000);
    traces.endTrace();
    assertThat(traces.interval().low()).isEqualTo(1);
    assertThat(traces.interval().high()).isGreaterThan(2_500);
  }

  /** {@code √(50 · 4 · 3) = 24.5} traces, and five times as many spans. */
  @Test
  void spansOfATrace_areTakenTogether() {
    Planted run = new Planted().standingFor(4);
    for (int trace = 1; trace <= 50; trace++) {
      long root = run.span(trace, 0, "job", "driver", 1_000L * trace, 1_000L * trace + 100);
      for (int worker = 0; worker < 4; worker++) {
        run.span(trace, root, "parse", "w" + worker, 1_000L * trace, 1_000L * trace + 50);
      }
    }
    Problems problems = run.analysis().problems();
    assertThat(problems.standsForTraces()).isEqualTo(200);
    assertThat(problems.allTraces()).isEqualTo(new Interval(152, 248));
    assertThat(problems.allSpans()).isEqualTo(new Interval(760, 1_240));
  }
}
