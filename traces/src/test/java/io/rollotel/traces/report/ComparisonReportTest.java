package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.Comparison;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ComparisonReportTest {

  private static final long MS = 1_000_000;

  @Test
  void plantedRegression_isTheOnlySignificantChange() {
    Comparison comparison = new Comparison(run(1, 1.0), run(2, 1.3));
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
    assertThat(comparison.isSlower(25)).isTrue();
    assertThat(comparison.isSlower(40)).isFalse();
    assertThat(text(comparison)).contains("slower").contains("Nothing got faster.");
  }

  @Test
  void improvement_isNoRegression() {
    Comparison comparison = new Comparison(run(1, 1.3), run(2, 1.0));
    assertThat(comparison.isSlower(0)).isFalse();
    assertThat(text(comparison)).contains("Nothing got slower.").contains("faster");
  }

  @Test
  void noise_isNotSignificant() {
    int wrong = 0;
    for (int seed = 0; seed < 200; seed++) {
      Comparison comparison = new Comparison(run(2 * seed, 1.0), run(2 * seed + 1, 1.0));
      wrong += comparison.changes().stream().anyMatch(Comparison.Change::isSignificant) ? 1 : 0;
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
    Comparison comparison = new Comparison(before.analysis(), after.analysis());
    assertThat(text(comparison)).contains("validation").contains("New names: validation");
    StringWriter json = new StringWriter();
    new ComparisonReport(comparison).writeJson(new PrintWriter(json));
    assertThat(json.toString())
        .contains("\"kind\":\"phase\",\"name\":\"validation\"")
        .doesNotContain("Infinity");
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

  private static String text(Comparison comparison) {
    StringWriter text = new StringWriter();
    new ComparisonReport(comparison).print(new PrintWriter(text));
    return text.toString();
  }
}
