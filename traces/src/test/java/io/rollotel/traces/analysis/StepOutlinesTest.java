package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepOutlinesTest {

  /** Two steps with two phases each, and a span below one of these, which is in no outline. */
  private static RunAnalysis analysis() {
    Planted planted = new Planted();
    for (int step = 1; step <= 2; step++) {
      long at = 50L * step;
      long root = planted.span(step, 0, "pipeline_step", "driver", at, at + 100);
      long rollout = planted.span(step, root, "rollout", "w0", at, at + 50);
      planted.span(step, rollout, "exec", "w0", at, at + 40);
      planted.span(step, root, "train", "w1", at + 50, at + 100);
    }
    return planted.analysisOf();
  }

  private static StepOutlines outlines(RunAnalysis analysis, int mostRows) {
    StepOutlines outlines = new StepOutlines(analysis.spans(), mostRows);
    outlines.add(analysis.spans(), analysis.traces());
    return outlines;
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 7, 1_000})
  void outlinesThatFit_showTheWay(int mostRows) {
    RunAnalysis analysis = analysis();
    assertThat(outlines(analysis, mostRows).visits()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 5})
  void moreThanFit_showNoWay_whateverIsAddedToThem(int mostRows) {
    RunAnalysis analysis = analysis();
    StepOutlines tooMany = outlines(analysis, mostRows);
    assertThat(tooMany.visits()).isNull();
    Spans none = Spans.withNumbersOf(analysis.spans());
    StepOutlines sum = new StepOutlines(none, 1_000);
    for (StepOutlines part : List.of(outlines(analysis, 1_000), tooMany)) {
      sum.add(part);
    }
    assertThat(sum.visits()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 8, 11})
  void partsThatFit_andTheirSumThatDoesNot_showNoWay(int mostRows) {
    RunAnalysis analysis = analysis();
    StepOutlines sum = outlines(analysis, mostRows);
    sum.add(outlines(analysis, mostRows));
    assertThat(sum.visits()).isNull();
  }
}
