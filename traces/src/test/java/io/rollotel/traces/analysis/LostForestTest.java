package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Forest.Node;
import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random forests whose roots and parents were lost, some of them still open: what stands for them
 * is what the definition says, and so are the numbers of it.
 */
class LostForestTest {

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(1000));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void rowsForWhatIsMissing_areThoseOfTheDefinition(long seed) {
    Forest forest = Forest.lost(seed);
    Spans spans = forest.run.spans();
    assertThat(spans.size()).isEqualTo(forest.nodes.size());
    for (int row = 0; row < spans.size(); row++) {
      Node node = forest.of(row);
      int above = forest.run.tree().above(row);
      assertThat(above < 0 ? null : forest.of(above)).isEqualTo(node.parent);
      assertThat(spans.isVirtual(row)).isEqualTo(node.isVirtual);
      assertThat(spans.nameOf(row)).isEqualTo(node.name());
      assertThat(spans.start(row) - Planted.START).isEqualTo(node.start);
      assertThat(spans.end(row) - Planted.START).isEqualTo(node.end);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void paths_areThoseOfTheOracle(long seed) {
    Forest forest = Forest.lost(seed);
    PathOracle oracle = new PathOracle(forest);
    CriticalPath path = forest.run.criticalPath();
    for (int row = 0; row < forest.run.spans().size(); row++) {
      int span = row;
      long[] found = forest.painted(sink -> path.follow(span, sink));
      assertThat(found).isEqualTo(oracle.path(forest.of(row)));
    }
    if (forest.run.steps().hasPathOfRun()) {
      assertThat(forest.painted(forest.run::followRun)).isEqualTo(oracle.pathOfRun());
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void stepsAndPhases_areThoseOfTheOracle(long seed) {
    Forest forest = Forest.lost(seed);
    Steps steps = forest.run.steps();
    assertThat(steps.all().stream().map(step -> forest.of(step.span())).toList())
        .isEqualTo(forest.steps);
    assertThat(steps.virtual())
        .isEqualTo(forest.steps.stream().filter(step -> step.isVirtual).count());
    for (int i = 0; i < forest.steps.size(); i++) {
      ForestTest.assertPhases(forest, forest.steps.get(i), steps.all().get(i));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void fanOuts_areThoseOfTheOracle(long seed) {
    Forest forest = Forest.lost(seed);
    assertThat(FanOutOracle.found(forest.run)).isEqualTo(new FanOutOracle(forest).totals());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void countsOfSpans_areOfThoseThatWereRead(long seed) {
    Forest forest = Forest.lost(seed);
    RunAnalysis run = forest.run;
    long read = forest.nodes.stream().filter(node -> !node.isVirtual).count();
    assertThat(Arrays.stream(run.members()).filter(run.spans()::isVirtual)).isEmpty();
    assertThat(run.members()).hasSize((int) read);
    assertThat(run.nameTotals().stream().mapToLong(NameTotals::count).sum()).isEqualTo(read);
    assertThat(run.workers().all().stream().mapToLong(Workers.Worker::spans).sum()).isEqualTo(read);
  }
}
