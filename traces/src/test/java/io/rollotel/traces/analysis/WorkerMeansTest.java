package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerMeansTest {

  @ParameterizedTest
  @CsvSource({"2, 120, 100", "64, 120, 100", "65, 120, 98", "128, 60, 50", "300, 30, 25"})
  void moreWorkers_fewerStepsAreKept(int workers, int steps, int kept) {
    List<WorkerMeans.OfStep> found = steps(workers, steps);
    assertThat(found).hasSize(kept).allMatch(step -> step.size() == workers);
  }

  @Test
  void oneWorkerInEachStep_noneIsKept() {
    assertThat(steps(1, 120)).isEmpty();
  }

  @Test
  void severalSpansOfAWorker_areItsMeanAndNumber() {
    Planted run = new Planted();
    long root = run.span(1, 0, "pipeline_step", "driver", 0, 100);
    run.span(1, root, "train", "w1", 0, 10);
    run.span(1, root, "train", "w2", 0, 50);
    run.span(1, root, "train", "w1", 20, 50);
    WorkerMeans.OfStep step = steps(run).get(0);
    assertThat(List.of(step.meanNanos(0), step.meanNanos(1))).containsExactly(20L, 50L);
    assertThat(List.of(step.spans(0), step.spans(1))).containsExactly(2, 1);
  }

  private static List<WorkerMeans.OfStep> steps(int workers, int steps) {
    Planted run = new Planted();
    for (int step = 1; step <= steps; step++) {
      long at = 100L * step;
      long root = run.span(step, 0, "pipeline_step", "driver", at, at + 100);
      for (int worker = 0; worker < workers; worker++) {
        run.span(step, root, "train", "w" + worker, at, at + 50);
      }
    }
    return steps(run);
  }

  private static List<WorkerMeans.OfStep> steps(Planted run) {
    RunTotals totals = run.analysis().totals();
    return totals.unitMeans().workers().of(totals.spans().findName("train"));
  }
}
