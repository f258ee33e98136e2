package io.rollotel.traces.analysis;

/** Student's t distribution. */
final class StudentT {

  private static final double[] LANCZOS = {
    76.18009172947146,
    -86.50532032941678,
    24.01409824083091,
    -1.231739572450155,
    0.1208650973866179e-2,
    -0.5395239384953e-5
  };

  private static final int MOST_TERMS = 10_000;
  private static final double LEAST = 1e-300;
  private static final double ACCURACY = 1e-12;

  private StudentT() {}

  /** The probability of a value at least as far from 0. */
  static double twoSided(double t, double freedom) {
    if (t == 0) {
      return 1;
    }
    return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
  }

  private static double incompleteBeta(double x, double a, double b) {
    if (x <= 0 || x >= 1) {
      return x <= 0 ? 0 : 1;
    }
    double front =
        Math.exp(
            logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
    // The fraction converges quickly only on this side of the mean.
    return x < (a + 1) / (a + b + 2)
        ? front * fraction(x, a, b) / a
        : 1 - front * fraction(1 - x, b, a) / b;
  }

  /** The continued fraction of the incomplete beta function, by Lentz's method. */
  private static double fraction(double x, double a, double b) {
    double c = 1;
    double d = 1 / away(1 - (a + b) * x / (a + 1));
    double result = d;
    for (int i = 1; i <= MOST_TERMS; i++) {
      double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
      d = 1 / away(1 + even * d);
      c = away(1 + even / c);
      result *= c * d;
      double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
      d = 1 / away(1 + odd * d);
      c = away(1 + odd / c);
      result *= c * d;
      if (Math.abs(c * d - 1) < ACCURACY) {
        break;
      }
    }
    return result;
  }

  /** Not 0, so that it can be divided by. */
  private static double away(double value) {
    return Math.abs(value) < LEAST ? LEAST : value;
  }

  private static double logGamma(double x) {
    double shifted = x + 5.5;
    double sum = 1.000000000190015;
    for (int i = 0; i < LANCZOS.length; i++) {
      sum += LANCZOS[i] / (x + i + 1);
    }
    return (x + 0.5) * Math.log(shifted) - shifted + Math.log(Math.sqrt(2 * Math.PI) * sum / x);
  }
}
