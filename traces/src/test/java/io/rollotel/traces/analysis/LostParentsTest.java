package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.LostParents;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs with missing parents: the analysis still finds the truth planted below them. */
class LostParentsTest {

  private static final int TRACES = 10;

  private final Planted planted = new Planted();

  /** Four ranks generate for 100, the last of them for 160; then two train for 30. */
  private void training(boolean hasOneParent) {
    for (int trace = 1; trace <= TRACES; trace++) {
      long start = 1000L * trace;
      for (int rank = 0; rank < 4; rank++) {
        long parent = 9000 + (hasOneParent ? 0 : rank);
        long end = start + (rank == 3 ? 160 : 90 + rank);
        planted.span(trace, parent, "generate", "actor" + rank + "@a", start, end);
      }
      for (int rank = 0; rank < 2; rank++) {
        long parent = 9000 + (hasOneParent ? 0 : 10 + rank);
        long end = start + 200 + rank;
        planted.span(trace, parent, "train", "actor" + rank + "@a", start + 170, end);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"the driver's span alone is lost, true", "a call's span is lost for each, false"})
  void lostDriver_leavesTheThreeAnswersThere(String situation, boolean hasOneParent) {
    training(hasOneParent);
    RunAnalysis run = planted.analysisOf();
    assertThat(run.steps().areTraces()).as(situation).isTrue();
    assertThat(run.steps().all()).hasSize(TRACES).allMatch(step -> step.wallNanos() == 201);
    assertThat(run.steps().virtual()).isEqualTo(TRACES);
    assertThat(run.steps().all().get(0).phases())
        .extracting(phase -> run.spans().names().text(phase.name()), Steps.PhaseTime::nanos)
        .containsExactly(tuple("generate", 160L), tuple("train", 31L));
    assertThat(run.path().totalNanos()).isEqualTo(2010);
    assertThat(run.path().names())
        .extracting(share -> run.spans().names().text(share.number()), PathShares.Share::nanos)
        .containsExactly(
            tuple("generate", 1600L), tuple("train", 310L), tuple(LostParents.NOT_THERE, 100L));
    FanOuts.Totals generate = run.fanOuts().get(0);
    assertThat(run.spans().names().text(generate.name())).isEqualTo("generate");
    assertThat(generate.costNanos()).isEqualTo(10 * (160 - 92));
    assertThat(generate.isAlwaysTheSame()).isTrue();
    FanOuts.Straggler last = generate.stragglers().get(0);
    assertThat(last.times()).isEqualTo(TRACES);
    assertThat(run.spans().processes().get(last.process()).rank()).isEqualTo("3");
    assertThat(run.fanOuts().get(1).costNanos()).isEqualTo(10);
  }

  @Test
  void lostDriver_countsNowhere() {
    training(true);
    RunAnalysis run = planted.analysisOf();
    assertThat(Arrays.stream(run.members()).filter(span -> !run.spans().isVirtual(span)).count())
        .isEqualTo(run.members().length)
        .isEqualTo(60);
    assertThat(run.nameTotals()).extracting(NameTotals::name).containsExactly("generate", "train");
    assertThat(run.workers().all()).hasSize(4).noneMatch(Workers.Worker::isDriver);
    assertThat(run.slowestSpans()).noneMatch(run.spans()::isVirtual);
    assertThat(run.problems().orphans()).isEqualTo(60);
    assertThat(run.problems().unended()).isEqualTo(TRACES);
    assertThat(run.problems().traces()).isEqualTo(TRACES);
    assertThat(run.clocks().pairs()).isEmpty();
    assertThat(Arrays.stream(run.members()).allMatch(span -> run.tree().parent(span) == -2))
        .isTrue();
  }

  @Test
  void spanThatHasNotEnded_isTheParentAndTheStep() {
    planted.span(1, 801, "generate", "actor1@b", 10, 60);
    planted.span(1, 801, "generate", "actor2@b", 10, 90);
    planted.span(1, 802, "late", "actor2@b", 95, 97);
    RunAnalysis run =
        planted.analysisOf(
            planted.recording(
                "driver@a",
                false,
                500,
                planted.open(1, 801, 800, "rollout", 5),
                planted.open(1, 802, 800, "after", 94),
                planted.open(1, 800, 0, "pipeline_step", 2),
                planted.open(2, 803, 0, "pipeline_step", 400)));
    assertThat(run.steps().areTraces()).isFalse();
    assertThat(run.steps().all()).hasSize(1);
    Steps.Step step = run.steps().all().get(0);
    assertThat(step.wallNanos()).as("from its own start to the last end below").isEqualTo(95);
    assertThat(run.spans().nameOf(step.span())).isEqualTo("pipeline_step");
    assertThat(run.spans().processOf(step.span()).serviceName()).isEqualTo("driver");
    assertThat(step.phases())
        .extracting(phase -> run.spans().names().text(phase.name()), Steps.PhaseTime::nanos)
        .containsExactly(tuple("rollout", 85L), tuple("after", 3L));
    assertThat(run.fanOuts()).hasSize(1);
    assertThat(run.fanOuts().get(0).costNanos()).isEqualTo(30);
  }

  @Test
  void stepThatHasNotEnded_countsNotBesideThoseThatHave() {
    planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
    planted.span(2, 800, "generate", "actor1@b", 110, 160);
    RunAnalysis run =
        planted.analysisOf(
            planted.recording(
                "driver@a", true, 500, planted.open(2, 800, 0, "pipeline_step", 105)));
    assertThat(run.steps().all()).hasSize(1);
    assertThat(run.steps().wallNanos()).isEqualTo(100);
    assertThat(run.steps().virtual()).isZero();
  }

  @Test
  void traceWithItsRoot_keepsItsNumbers() {
    long root = planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
    planted.span(1, root, "generate", "actor1@b", 10, 60);
    planted.span(1, 999, "generate", "actor2@b", 10, 90);
    planted.span(1, 999, "generate", "actor3@b", 10, 80);
    planted.span(1, 998, "alone", "actor3@b", 85, 99);
    RunAnalysis run = planted.analysisOf();
    assertThat(run.steps().all()).hasSize(1);
    assertThat(run.steps().restNanos()).isEqualTo(50);
    assertThat(run.nameTotals().get(1).selfNanos()).isEqualTo(50);
    assertThat(run.fanOuts()).as("what the lost call did").hasSize(1);
    assertThat(run.fanOuts().get(0).costNanos()).isEqualTo(10);
    assertThat(run.problems().orphans()).isEqualTo(3);
    assertThat(run.problems().unended()).isZero();
  }

  @Test
  void spansThatAreEachOthersParents_stayARing() {
    planted.span(1, 1, 2, "a", "w1", 0, 100);
    planted.span(1, 2, 1, "b", "w2", 10, 90);
    planted.span(1, 3, 99, "c", "w3", 20, 80);
    RunAnalysis run =
        planted.analysisOf(
            planted.recording(
                "w4",
                false,
                500,
                planted.open(1, 99, 98, "x", 1),
                planted.open(1, 98, 99, "y", 1)));
    assertThat(run.tree().rings()).isEqualTo(2);
    assertThat(run.members()).hasSize(3);
  }

  @Test
  void openSpanBelowOneThatHasEnded_isItsChild() {
    long root = planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
    planted.span(1, 801, "generate", "actor1@b", 10, 60);
    RunAnalysis run =
        planted.analysisOf(
            planted.recording("driver@a", true, 500, planted.open(1, 801, root, "rollout", 5)));
    assertThat(run.steps().all()).hasSize(1);
    assertThat(run.steps().all().get(0).phases())
        .extracting(phase -> run.spans().names().text(phase.name()), Steps.PhaseTime::nanos)
        .containsExactly(tuple("rollout", 55L));
    assertThat(run.problems().orphans()).isEqualTo(1);
  }

  @Test
  void spanThatHasNotEnded_beganAsItsRecorderSaysAndLastsAsLongAsAnythingBelow() {
    long call = 7;
    planted.span(1, call, 801, "call", "driver@a", 3, 20);
    planted.span(1, call, "save", "actor1@b", 10, 70);
    RunAnalysis run =
        planted.analysisOf(
            planted.recording("driver@a", true, 500, planted.open(1, 801, 0, "pipeline_step", 5)));
    Steps.Step step = run.steps().all().get(0);
    assertThat(run.spans().start(step.span())).isEqualTo(Planted.START + 5);
    assertThat(step.wallNanos()).as("it still ran when the save was over").isEqualTo(65);
    assertThat(run.overlappedWork()).isEmpty();
  }

  @Test
  void untimedSpans_giveTheirParentNoTime() {
    planted.span(1, 77, "a", "w1", -Planted.START, -Planted.START);
    planted.span(1, 77, "a", "w2", -Planted.START, -Planted.START);
    assertThat(planted.analysisOf().steps().all()).isEqualTo(List.of());
  }
}
