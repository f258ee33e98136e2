package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MannWhitneyTest {

  // By the definition, and scipy.stats.mannwhitneyu for those of more than 20.
  @ParameterizedTest
  @CsvSource({
    "'1', '2', 1",
    "'1 2 3', '4 5 6', 0.1",
    "'1 2 3 4 5', '6 7 8 9 10', 0.0079365079",
    "'1 3 5 7', '2 4 6 8', 0.6857142857",
    "'1 2 3', '1 2 3', 1",
    "'5 5 5 5', '5 5 5', 1",
    "'5 5 5', '9 9 9', 0.1", // the normal distribution would say 0.047
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

  @ParameterizedTest
  @CsvSource({
    "1, 1, -1, 1",
    "3, 3, -1, 0.1",
    "4, 4, 0, 0.0285714286",
    "5, 5, 2, 0.0079365079",
    "20, 20, 127, 1.45e-11",
    "1, 30, -1, 0.1", // as the test computes it, however far away the one lies
  })
  void clearValues_areThoseOfTheTables(int n, int m, long clear, double least) {
    assertThat(MannWhitney.clear(n, m)).isEqualTo(clear);
    assertThat(MannWhitney.p(n, m, 0)).isCloseTo(least, within(least * 0.06));
  }

  @Test
  void clearest_isWhatOneMoreWouldNeed() {
    assertThat(MannWhitney.clearest(new double[] {0.9}, 0.05)).isEqualTo(0.05);
    assertThat(MannWhitney.clearest(new double[] {0.9, 0.8, 0.7, 0.6}, 0.05)).isEqualTo(0.0125);
    assertThat(MannWhitney.clearest(new double[] {0.9, 0.001, 0.002, 0.6}, 0.05))
        .isEqualTo(0.05 * 3 / 4);
  }

  @Test
  void intervalOfRatios_isThatOfAllPairs() {
    Random random = new Random(3);
    for (int i = 0; i < 100; i++) {
      int n = 1 + random.nextInt(8);
      int m = 1 + random.nextInt(8);
      long[] before = random.longs(n, 0, 20).toArray();
      long[] after = random.longs(m, 0, 20).toArray();
      double[] ratios =
          Arrays.stream(before)
              .mapToObj(b -> Arrays.stream(after).mapToDouble(a -> a == b ? 1 : (double) a / b))
              .flatMapToDouble(all -> all)
              .sorted()
              .toArray();
      int leftOut = (int) Math.max(0, MannWhitney.clear(n, m));
      RatioInterval interval = RatioInterval.of(before, after);
      assertThat(interval.low()).isEqualTo(ratios[leftOut]);
      assertThat(interval.high()).isEqualTo(ratios[n * m - 1 - leftOut]);
    }
  }

  @Test
  void interval_holdsTheTruthAsOftenAsItSays() {
    Random random = new Random(4);
    int held = 0;
    int rounds = 1000;
    for (int i = 0; i < rounds; i++) {
      long[] before = new long[30];
      long[] after = new long[30];
      Arrays.setAll(before, j -> (long) (1e6 * Math.exp(0.1 * random.nextGaussian())));
      Arrays.setAll(after, j -> (long) (1.5e6 * Math.exp(0.1 * random.nextGaussian())));
      RatioInterval interval = RatioInterval.of(before, after);
      held += interval.low() <= 1.5 && 1.5 <= interval.high() ? 1 : 0;
    }
    assertThat(held / (double) rounds).isBetween(0.93, 0.97);
  }
}
