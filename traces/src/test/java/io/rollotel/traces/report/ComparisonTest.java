package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonTest {

  private static final long MS = 1_000_000;

  @Test
  void plantedRegression_isTheOnlyNews() {
    Comparison comparison = new Comparison(run(1, 1.0), run(2, 1.3));
    assertThat(comparison.changes().stream().filter(Comparison.Change::isNews).toList())
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
  void noise_isNotNews() {
    int wrong = 0;
    for (int seed = 0; seed < 200; seed++) {
      Comparison comparison = new Comparison(run(2 * seed, 1.0), run(2 * seed + 1, 1.0));
      wrong += comparison.changes().stream().anyMatch(Comparison.Change::isNews) ? 1 : 0;
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
    comparison.writeJson(new PrintWriter(json));
    assertThat(json.toString())
        .contains("\"kind\":\"phase\",\"name\":\"validation\"")
        .doesNotContain("Infinity");
  }

  /** Thirty steps of generate, 100 ms by that factor, and train, 50 ms, each give or take. */
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
    comparison.print(new PrintWriter(text));
    return text.toString();
  }

  // By the definition, and scipy.stats.mannwhitneyu for those of more than 20.
  @ParameterizedTest
  @CsvSource({
    "'1', '2', 1",
    "'1 2 3', '4 5 6', 0.1",
    "'1 2 3 4 5', '6 7 8 9 10', 0.0079365079",
    "'1 3 5 7', '2 4 6 8', 0.6857142857",
    "'1 2 3', '1 2 3', 1",
    "'5 5 5 5', '5 5 5', 1",
    "'', '1 2', 1"
  })
  void pValue_isThatOfTheTest(String a, String b, double expected) {
    assertThat(MannWhitney.pValue(longs(a), longs(b))).isCloseTo(expected, within(1e-6));
    assertThat(MannWhitney.pValue(longs(b), longs(a))).isCloseTo(expected, within(1e-6));
  }

  @Test
  void pValueOfSmallSamples_isWhatAllPermutationsSay() {
    Random random = new Random(17);
    for (int i = 0; i < 50; i++) {
      int n = 1 + random.nextInt(5);
      int m = 1 + random.nextInt(5);
      long[] all = random.longs(n + m, 0, 1_000_000_000).toArray();
      long[] a = Arrays.copyOf(all, n);
      long[] b = Arrays.copyOfRange(all, n, n + m);
      double centre = n * m / 2.0;
      double distance = Math.abs(u(a, b) - centre);
      int extreme = 0;
      int ways = 0;
      for (int chosen = 0; chosen < 1 << (n + m); chosen++) {
        if (Integer.bitCount(chosen) == n) {
          long[] left = new long[n];
          long[] right = new long[m];
          int l = 0;
          int r = 0;
          for (int j = 0; j < n + m; j++) {
            if ((chosen >> j & 1) == 1) {
              left[l++] = all[j];
            } else {
              right[r++] = all[j];
            }
          }
          ways++;
          extreme += Math.abs(u(left, right) - centre) >= distance - 1e-9 ? 1 : 0;
        }
      }
      assertThat(MannWhitney.pValue(a, b))
          .isCloseTo(Math.min(1, (double) extreme / ways), within(1e-9));
    }
  }

  private static double u(long[] a, long[] b) {
    double u = 0;
    for (long x : a) {
      for (long y : b) {
        u += x > y ? 1 : x == y ? 0.5 : 0;
      }
    }
    return u;
  }

  @Test
  void pValueOfLargeSamples_isNearTheExactOne() {
    // 21 against 20 is beyond counting out here; 20 against 20 is not: they must agree.
    Random random = new Random(3);
    for (int i = 0; i < 20; i++) {
      long[] a = random.longs(20, 0, 1_000_000_000).toArray();
      long[] b = random.longs(20, 100_000_000L * (i % 5), 1_100_000_000L).toArray();
      long[] tied = a.clone();
      tied[0] = b[0]; // a tie makes it the normal approximation
      long[] same = a.clone();
      same[0] = b[0] + 1;
      assertThat(MannWhitney.pValue(tied, b)).isCloseTo(MannWhitney.pValue(same, b), within(0.02));
    }
  }

  @Test
  void adjustment_isThatOfBenjaminiAndHochberg() {
    assertThat(MannWhitney.adjusted(new double[] {0.01, 0.04, 0.03, 0.005, 0.5}))
        .containsExactly(new double[] {0.025, 0.05, 0.05, 0.025, 0.5}, within(1e-12));
  }

  private static long[] longs(String text) {
    return text.isEmpty()
        ? new long[0]
        : Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
  }
}
