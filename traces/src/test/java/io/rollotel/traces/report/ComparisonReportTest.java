package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Comparison;
import io.rollotel.traces.analysis.Gate;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonReportTest {

  private static final long MS = 1_000_000;

  @Test
  void plantedRegression_isTheOnlySignificantChange() {
    Comparison comparison = new Comparison(run(1, 1.0).totals(), run(2, 1.3).totals());
    assertThat(comparison.changes().stream().filter(Comparison.Change::isSignificant).toList())
        .extracting(change -> change.kind() + " " + change.name())
        .containsExactlyInAnyOrder(
            "STEP ", "PHASE generate", "NAME generate", "NAME pipeline_step");
    Comparison.Change generate =
        comparison.changes().stream()
            .filter(change -> change.name().equals("generate"))
            .findFirst()
            .orElseThrow();
    assertThat(generate.ratio()).isCloseTo(1.3, within(0.03));
    assertThat(outcome(comparison, Gate.Scope.ANY, 25)).isEqualTo(Gate.Outcome.SLOWER);
    assertThat(outcome(comparison, Gate.Scope.ANY, 40)).isEqualTo(Gate.Outcome.PASSED);
    assertThat(text(comparison)).contains("slower").contains("Nothing got significantly faster.");
  }

  @Test
  void improvement_isNoRegression() {
    Comparison comparison = new Comparison(run(1, 1.3).totals(), run(2, 1.0).totals());
    assertThat(outcome(comparison, Gate.Scope.ANY, 0)).isEqualTo(Gate.Outcome.PASSED);
    assertThat(text(comparison)).contains("Nothing got significantly slower.").contains("faster");
  }

  @Tag("campaign")
  @Test
  void noise_isNotSignificant() {
    int wrong = 0;
    for (int seed = 0; seed < 200; seed++) {
      Comparison comparison =
          new Comparison(run(2 * seed, 1.0).totals(), run(2 * seed + 1, 1.0).totals());
      wrong += comparison.byEffect().stream().anyMatch(Comparison.Change::isSignificant) ? 1 : 0;
    }
    assertThat(wrong).isLessThanOrEqualTo(15); // 5 % of 200, and three standard deviations short
  }

  @Test
  void phaseThatIsNew_isSlowerThanNone() {
    Planted before = new Planted();
    Planted after = new Planted();
    for (int step = 1; step <= 12; step++) {
      before.span(step, 0, "pipeline_step", "d", 0, 100 + step);
      long root = after.span(step, 0, "pipeline_step", "d", 0, 200 + step);
      after.span(step, root, "validation", "d", 0, 90 + step);
    }
    Comparison comparison = new Comparison(before.analysis().totals(), after.analysis().totals());
    assertThat(text(comparison)).contains("validation").contains("New names: validation");
    StringWriter json = new StringWriter();
    new ComparisonReport(comparison).writeJson(new PrintWriter(json));
    assertThat(json.toString())
        .contains("\"kind\":\"phase\",\"name\":\"validation\"")
        .doesNotContain("Infinity");
  }

  @ParameterizedTest
  @CsvSource({"pipeline_step, step", "request, trace"})
  void runWithoutSteps_isComparedByTraces(String root, String unit) {
    List<Planted> runs = List.of(new Planted(), new Planted());
    for (int i = 1; i <= 12; i++) {
      runs.get(0).span(i, 0, root, "d", 0, 100 + i);
      runs.get(1).span(i, 0, root, "d", 0, 200 + i);
    }
    assertThat(
            text(new Comparison(runs.get(0).analysis().totals(), runs.get(1).analysis().totals())))
        .contains("12 " + unit + "s against 12 " + unit + "s; times are medians over " + unit + "s")
        .containsPattern("(?m)^  " + unit + "s +before")
        .containsPattern("(?m)^  " + unit + " +106 ns +206 ns");
  }

  /** A driver that sleeps between its phases, or less than is worth a comparison. */
  @ParameterizedTest
  @CsvSource({"1, 50, true", "50, 1, true", "0, 1, false"})
  void timeInNoPhase_isComparedIfThereIsMuch(int restBefore, int restAfter, boolean isCompared) {
    Comparison comparison =
        new Comparison(idle("before", restBefore).totals(), idle("after", restAfter).totals());
    assertThat(
            comparison.byEffect().stream()
                .filter(change -> change.kind() == Comparison.Kind.UNATTRIBUTED)
                .map(Comparison.Change::isSignificant))
        .isEqualTo(isCompared ? List.of(true) : List.of());
    StringWriter json = new StringWriter();
    new ComparisonReport(comparison).writeJson(new PrintWriter(json));
    assertThat(json.toString().contains("\"kind\":\"unattributed\",\"name\":\"\""))
        .isEqualTo(isCompared);
    assertThat(text(comparison).contains("  unattributed ")).isEqualTo(isCompared);
  }

  /** Steps that begin so much after the one before, and take 100. */
  @ParameterizedTest
  @CsvSource({
    "100, 100, ''",
    "50, 50, 'from first to last 650 ns 650 ns 1.00'",
    "100, 130, 'from first to last 1.20 µs 1.53 µs 1.28'",
  })
  void timeFromFirstToLast_isToldIfStepsOverlapOrLeaveGaps(int before, int after, String row) {
    Comparison comparison =
        new Comparison(every("before", before).totals(), every("after", after).totals());
    String words = text(comparison).replaceAll("\\s+", " ");
    if (row.isEmpty()) {
      assertThat(words).doesNotContain("from first to last");
    } else {
      assertThat(words).contains(row);
    }
  }

  private static RunAnalysis every(String run, int nanos) {
    Planted planted = new Planted(run);
    for (int step = 0; step < 12; step++) {
      long at = (long) step * nanos;
      planted.span(step + 1, 0, "pipeline_step", "d", at, at + 100);
    }
    return planted.analysis();
  }

  private static RunAnalysis idle(String run, int rest) {
    Planted planted = new Planted(run);
    for (int step = 1; step <= 12; step++) {
      long root = planted.span(step, 0, "pipeline_step", "d", 0, 200 + step + rest);
      planted.span(step, root, "train", "d", 0, 200 + step);
    }
    return planted.analysis();
  }

  @Test
  void threeStepsAgainstThree_areTooFewToTell() {
    Comparison comparison =
        new Comparison(steps(1, 100, 101, 103).totals(), steps(2, 200, 204, 205).totals());
    assertThat(comparison.changes()).allMatch(Comparison.Change::isTooFew);
    Comparison.Change steps = comparison.steps();
    assertThat(steps.ratio()).isEqualTo(204.0 / 101);
    assertThat(steps.interval().low()).isEqualTo(200.0 / 103);
    assertThat(steps.interval().high()).isEqualTo(2.05);
    assertThat(steps.interval().confidence()).isCloseTo(0.9, within(1e-9));
    for (Gate.Scope scope : Gate.Scope.values()) {
      assertThat(outcome(comparison, scope, 0)).isEqualTo(Gate.Outcome.TOO_FEW);
      assertThat(outcome(comparison, scope, 500)).isEqualTo(Gate.Outcome.TOO_FEW);
    }
    assertThat(text(comparison))
        .contains("too few to tell", "step", "3:3", "2.02  1.94  2.05         90%")
        .doesNotContain("Nothing got");
  }

  @Test
  void equalTimesOfAFewSteps_areTooFewAllTheSame() {
    Comparison comparison =
        new Comparison(steps(1, 100, 100, 100).totals(), steps(2, 200, 200, 200).totals());
    assertThat(comparison.changes()).allMatch(Comparison.Change::isTooFew);
  }

  @Test
  void fourStepsAgainstFour_areEnoughForStepsButNotForNames() {
    Planted before = new Planted("before");
    Planted after = new Planted("after");
    for (int step = 1; step <= 4; step++) {
      long slow = after.span(step, 0, "pipeline_step", "d", 0, 200 + step);
      long root = before.span(step, 0, "pipeline_step", "d", 0, 100 + step);
      for (int name = 0; name < 9; name++) { // these have no outcome
        before.span(step, root, "as before " + name, "d", name, name + 1);
        after.span(step, slow, "as before " + name, "d", name, name + 1);
      }
    }
    Comparison comparison = new Comparison(before.analysis().totals(), after.analysis().totals());
    assertThat(comparison.steps().isSlower()).isTrue();
    assertThat(comparison.changes().stream().skip(1)).allMatch(Comparison.Change::isTooFew);
    assertThat(outcome(comparison, Gate.Scope.ANY, 10)).isEqualTo(Gate.Outcome.SLOWER);
    assertThat(outcome(comparison, Gate.Scope.STEPS, 10)).isEqualTo(Gate.Outcome.SLOWER);
  }

  @Test
  void nameThatEachRunHasOnce_holdsNoGateShutUnlessItLooksSlower() {
    for (long nanos : List.of(100L, 300L)) {
      Planted before = new Planted("before");
      Planted after = new Planted("after");
      for (int step = 1; step <= 12; step++) {
        before.span(step, 0, "pipeline_step", "d", 0, 1000 + step);
        after.span(step, 0, "pipeline_step", "d", 0, 1000 + step);
      }
      before.span(99, 0, "warm up", "d", 0, 100);
      after.span(99, 0, "warm up", "d", 0, nanos);
      Comparison comparison = new Comparison(before.analysis().totals(), after.analysis().totals());
      assertThat(outcome(comparison, Gate.Scope.ANY, 10))
          .isEqualTo(nanos == 100 ? Gate.Outcome.PASSED : Gate.Outcome.TOO_FEW);
      assertThat(outcome(comparison, Gate.Scope.STEPS, 10)).isEqualTo(Gate.Outcome.PASSED);
      assertThat(text(comparison))
          .contains("Nothing got significantly slower.", "too few to tell", "warm up");
    }
  }

  @Test
  void everyFifthStepIsLonger_theMeanFailsEachGate() {
    Comparison comparison = new Comparison(tail(1, 0, 0.01).totals(), tail(2, 200, 0.01).totals());
    assertThat(comparison.steps().isSignificant()).isFalse();
    assertThat(comparison.mean().ratio()).isCloseTo(1.4, within(0.05));
    for (Gate.Scope scope : Gate.Scope.values()) {
      assertThat(outcome(comparison, scope, 10)).isEqualTo(Gate.Outcome.SLOWER);
    }
    assertThat(text(comparison))
        .contains("all together", "mean without the first", "step    mean")
        .doesNotContain("Nothing got significantly slower");
    StringWriter json = new StringWriter();
    new ComparisonReport(comparison).writeJson(new PrintWriter(json));
    assertThat(json.toString()).contains("\"stepTime\":{\"totalBeforeNanos\":");
  }

  /** A start that takes longer, and a single pause. */
  @Test
  void oneStepIsFarLonger_theGatePasses() {
    for (int slow : new int[] {0, 17}) {
      long[] nanos = LongStream.range(0, 40).map(step -> 100 * MS + step * 7919 % MS).toArray();
      long[] longer = nanos.clone();
      longer[slow] *= 30;
      Comparison comparison = new Comparison(steps(1, nanos).totals(), steps(2, longer).totals());
      for (Gate.Scope scope : Gate.Scope.values()) {
        assertThat(outcome(comparison, scope, 1)).isEqualTo(Gate.Outcome.PASSED);
      }
    }
  }

  /** With much noise, a difference of a fifth may be there, and the text says so. */
  @Test
  void stepsVaryMuch_theTextSaysHowMuchSlowerTheyMayBe() {
    String text = text(new Comparison(tail(1, 0, 0.3).totals(), tail(3, 0, 0.3).totals()));
    assertThat(text)
        .containsPattern("The median step may take 0\\.[89]\\d to 1\\.[012]\\d times as long");
  }

  /** Two equal runs with much noise: a gate of 5 % stays open in all but a few cases. */
  @Test
  void twoEqualRuns_passTheGate() {
    int failed = 0;
    for (int seed = 0; seed < 300; seed++) {
      Comparison comparison =
          new Comparison(tail(2 * seed, 0, 0.3).totals(), tail(2 * seed + 1, 0, 0.3).totals());
      failed += outcome(comparison, Gate.Scope.ANY, 5) == Gate.Outcome.PASSED ? 0 : 1;
    }
    // The medians fail 2.5 % by chance, the means a part of 1.25 % more; three deviations.
    assertThat(failed).isLessThanOrEqualTo(22);
  }

  @Test
  void twiceAsManyCalls_theTextSaysSo() {
    Planted before = new Planted("before");
    Planted after = new Planted("after");
    for (int step = 1; step <= 12; step++) {
      long earlier = before.span(step, 0, "pipeline_step", "d", 0, 100 + step);
      long later = after.span(step, 0, "pipeline_step", "d", 0, 200 + step);
      for (int call = 0; call < 8; call++) {
        after.span(step, later, "train", "w1", 10 * call, 10 * call + 9);
        if (call < 4) {
          before.span(step, earlier, "train", "w1", 10 * call, 10 * call + 9);
        }
      }
    }
    Comparison comparison = new Comparison(before.analysis().totals(), after.analysis().totals());
    assertThat(text(comparison)).contains("Spans in each step: train 8.0 instead of 4.0");
  }

  @Test
  void jsonOfAComparison_hasAnOrderThatNoTimeChanges() {
    assertThat(order(new Comparison(run(1, 1.0).totals(), run(2, 1.3).totals())))
        .containsExactly(
            "step ",
            "phase generate",
            "phase train",
            "name generate",
            "name pipeline_step",
            "name train")
        .isEqualTo(order(new Comparison(run(1, 1.3).totals(), run(2, 1.0).totals())));
  }

  private static List<String> order(Comparison comparison) {
    StringWriter json = new StringWriter();
    new ComparisonReport(comparison).writeJson(new PrintWriter(json));
    return Pattern.compile("\"kind\":\"([a-z]+)\",\"name\":\"([a-z_]*)\"")
        .matcher(json.toString())
        .results()
        .map(found -> found.group(1) + " " + found.group(2))
        .toList();
  }

  private static Gate.Outcome outcome(Comparison comparison, Gate.Scope scope, double percent) {
    return new ComparisonReport(comparison).rule(new Gate(scope, percent)).outcome();
  }

  /** Steps that take so long. */
  private static RunAnalysis steps(long seed, long... nanos) {
    Planted run = new Planted("run" + seed);
    for (int step = 1; step <= nanos.length; step++) {
      long root = run.span(step, 0, "pipeline_step", "driver", 0, nanos[step - 1]);
      run.span(step, root, "train", "w1", 0, nanos[step - 1]);
    }
    return run.analysis();
  }

  /** Thirty steps of generate, 100 ms by that factor, and train, 50 ms, each with noise. */
  private static RunAnalysis run(long seed, double factor) {
    Random random = new Random(seed);
    Planted run = new Planted("run" + seed);
    long at = 0;
    for (int step = 1; step <= 30; step++) {
      long generate = (long) ((100 + 3 * random.nextGaussian()) * MS * factor);
      long train = (long) ((50 + 3 * random.nextGaussian()) * MS);
      long root = run.span(step, 0, "pipeline_step", "driver", at, at + generate + train);
      run.span(step, root, "generate", "w1", at, at + generate);
      run.span(step, root, "train", "w1", at + generate, at + generate + train);
      at += generate + train;
    }
    return run.analysis();
  }

  /** Fifty steps of 100 ms with noise; every fifth one takes longer. */
  private static RunAnalysis tail(long seed, long longerMillis, double noise) {
    Random random = new Random(seed);
    long[] nanos = new long[50];
    for (int step = 0; step < nanos.length; step++) {
      double millis = 100 * Math.max(0.2, 1 + noise * random.nextGaussian());
      nanos[step] = (long) (MS * (millis + (step % 5 == 4 ? longerMillis : 0)));
    }
    return steps(seed, nanos);
  }

  private static String text(Comparison comparison) {
    StringWriter text = new StringWriter();
    new ComparisonReport(comparison).print(new ReportWriter(text));
    return text.toString();
  }
}
