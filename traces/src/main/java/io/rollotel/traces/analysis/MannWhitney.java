package io.rollotel.traces.analysis;

import java.util.Arrays;

/** Whether two samples may come from one distribution: the two-sided Mann–Whitney U test. */
final class MannWhitney {

  /**
   * Up to this many values in each sample, and without ties, the exact distribution of U is
   * computed.
   */
  private static final int EXACT = 20;

  /** 95 % of a normal distribution is within this many standard deviations of the mean. */
  private static final double TWO_SIDED = 1.959964;

  private MannWhitney() {}

  /**
   * The probability of a difference in ranks at least as large as this one, if the samples do not
   * differ.
   *
   * @return 1 if either sample is empty
   */
  static double pValue(long[] a, long[] b) {
    int n = a.length;
    int m = b.length;
    if (n == 0 || m == 0) {
      return 1;
    }
    long[] both = Arrays.copyOf(a, n + m);
    System.arraycopy(b, 0, both, n, m);
    Arrays.sort(both);
    long[] sortedA = a.clone();
    Arrays.sort(sortedA);
    // Twice the rank sum of a, so that the middle ranks of ties are whole.
    double rankSum2 = 0;
    double tieSum = 0;
    boolean hasTies = false;
    int atA = 0;
    for (int from = 0; from < both.length; ) {
      int to = from;
      while (to < both.length && both[to] == both[from]) {
        to++;
      }
      double ties = to - from;
      hasTies |= ties > 1;
      tieSum += ties * ties * ties - ties;
      while (atA < n && sortedA[atA] == both[from]) {
        rankSum2 += from + to + 1;
        atA++;
      }
      from = to;
    }
    double u = rankSum2 / 2 - n * (n + 1.0) / 2;
    if (!hasTies && isExact(n, m)) {
      return p(n, m, (long) Math.min(u, (double) n * m - u));
    }
    double total = (double) n + m;
    double variance = (double) n * m / 12 * (total + 1 - tieSum / (total * (total - 1)));
    if (!(variance > 0)) {
      return 1; // all are equal
    }
    double p = normal(Math.abs(u - (double) n * m / 2) - 0.5, variance);
    // For few values with ties, the normal distribution would exaggerate: at best, one of all
    // possible arrangements shows a difference.
    return isExact(n, m) ? Math.max(p, p(n, m, 0)) : p;
  }

  private static boolean isExact(int n, int m) {
    return n <= EXACT && m <= EXACT;
  }

  private static double normal(double distance, double variance) {
    return distance <= 0 ? 1 : Math.min(1, erfc(distance / Math.sqrt(2 * variance)));
  }

  private static double variance(int n, int m) {
    return (double) n * m / 12 * ((double) n + m + 1);
  }

  /**
   * {@code 2 P(U ≤ u)} for this many values without ties; for {@code u = 0}, the smallest possible
   * p.
   *
   * @return 1 if either sample is empty
   */
  static double p(int n, int m, long u) {
    if (n == 0 || m == 0) {
      return 1;
    }
    return isExact(n, m)
        ? exact(n, m, (int) u)
        : normal((double) n * m / 2 - u - 0.5, variance(n, m));
  }

  /** The largest u with {@code 2 P(U ≤ u) ≤ 0.05}, without ties; -1 if there is none. */
  static long clear(int n, int m) {
    if (!isExact(n, m)) {
      double edge = (double) n * m / 2 - 0.5 - TWO_SIDED * Math.sqrt(variance(n, m));
      return edge < 0 ? -1 : (long) edge;
    }
    long low = -1;
    long high = (long) n * m; // of all ways: its p is 1
    while (high - low > 1) {
      long middle = (low + high) / 2;
      if (p(n, m, middle) <= 0.05) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** {@code 2 P(U ≤ u)}, by counting the ways in which the ranks can fall. */
  private static double exact(int n, int m, int u) {
    if (u == 0) {
      return 2 / waysToDeal(n, m);
    }
    double[][] ways = new double[n + 1][n * m + 1];
    ways[0][0] = 1;
    // ways[i][s]: i of a's values placed among those of b seen so far, s pairs out of order.
    for (int j = 1; j <= n + m; j++) {
      for (int i = Math.min(j, n); i >= 1; i--) {
        int before = j - i; // values of b below this one
        if (before > m) {
          continue;
        }
        for (int s = n * m; s >= before; s--) {
          ways[i][s] += ways[i - 1][s - before];
        }
      }
    }
    double all = 0;
    double low = 0;
    for (int s = 0; s <= n * m; s++) {
      all += ways[n][s];
      low += s <= u ? ways[n][s] : 0;
    }
    return Math.min(1, 2 * low / all);
  }

  /** The number of ways to arrange this many values among others. */
  private static double waysToDeal(int n, int m) {
    double ways = 1;
    for (int i = 1; i <= n; i++) {
      ways = ways * (m + i) / i;
    }
    return ways;
  }

  /** The complementary error function, with a relative error below 1.2e-7 (Numerical Recipes). */
  private static double erfc(double x) {
    double t = 1 / (1 + 0.5 * x);
    double[] coefficients = {
      0.17087277,
      -0.82215223,
      1.48851587,
      -1.13520398,
      0.27886807,
      -0.18628806,
      0.09678418,
      0.37409196,
      1.00002368,
      -1.26551223
    };
    double sum = 0;
    for (double coefficient : coefficients) {
      sum = sum * t + coefficient;
    }
    return t * Math.exp(-x * x + sum);
  }

  /**
   * Benjamini and Hochberg's adjustment for multiple tests: of all differences with an adjusted
   * value of at most q, at most a share of q is due to chance.
   */
  static double[] adjusted(double[] pValues) {
    Integer[] byP = new Integer[pValues.length];
    Arrays.setAll(byP, i -> i);
    Arrays.sort(byP, (a, b) -> Double.compare(pValues[b], pValues[a])); // the largest first
    double[] adjusted = new double[pValues.length];
    double least = 1;
    for (int i = 0; i < byP.length; i++) {
      int rank = byP.length - i;
      least = Math.min(least, pValues[byP[i]] * byP.length / rank);
      adjusted[byP[i]] = least;
    }
    return adjusted;
  }

  /**
   * The largest unadjusted p at which one more comparison would be significant beside the others.
   *
   * @param pValues of all comparisons, including that one
   */
  static double clearest(double[] pValues, double significance) {
    double[] sorted = pValues.clone();
    Arrays.sort(sorted);
    int significant = 1; // that one itself
    for (int rank = 2; rank <= sorted.length; rank++) {
      if (sorted[rank - 2] <= significance * rank / sorted.length) {
        significant = rank;
      }
    }
    return significance * significant / Math.max(1, sorted.length);
  }
}
