package io.rollotel.traces.analysis;

import java.util.Arrays;

/**
 * How the mean of some values has changed: Welch's t test of the logarithms of the two means.
 *
 * <p>Unlike ranks and medians, means show a few values that are much longer, such as every fifth
 * step. A single one among many is no evidence: it adds as much to the error as to the mean.
 *
 * @param beforeNanos the earlier mean
 * @param interval in which the factor lies, at {@link #CONFIDENCE}
 * @param pValue two-sided; 1 if the values cannot tell
 */
record MeanChange(long beforeNanos, long afterNanos, RatioInterval interval, double pValue) {

  /**
   * It is the second test of the same steps, after that of the medians, so it must be clearer than
   * that one.
   */
  static final double SIGNIFICANCE = 0.025;

  static final double CONFIDENCE = 1 - SIGNIFICANCE;

  private static final int HALVINGS = 60;
  private static final double LARGEST_T = 1e6;

  /** The mean of values, and its variance relative to its square. */
  private record Mean(int count, double nanos, double relativeVariance) {

    static Mean of(long[] values) {
      double mean = Arrays.stream(values).mapToDouble(value -> value).average().orElse(0);
      double squares = 0;
      for (long value : values) {
        squares += (value - mean) * (value - mean);
      }
      double variance = squares / (values.length - 1.0) / values.length;
      return new Mean(values.length, mean, variance / (mean * mean));
    }
  }

  static MeanChange of(long[] before, long[] after) {
    Mean a = Mean.of(before);
    Mean b = Mean.of(after);
    long nanosBefore = Math.round(a.nanos);
    long nanosAfter = Math.round(b.nanos);
    double variance = a.relativeVariance + b.relativeVariance;
    if (before.length < 2 || after.length < 2 || !Double.isFinite(variance)) {
      RatioInterval unknown = new RatioInterval(0, Double.POSITIVE_INFINITY, CONFIDENCE);
      return new MeanChange(nanosBefore, nanosAfter, unknown, 1);
    }
    double ratio = b.nanos / a.nanos;
    if (variance == 0) { // all are equal
      RatioInterval exact = new RatioInterval(ratio, ratio, CONFIDENCE);
      return new MeanChange(nanosBefore, nanosAfter, exact, ratio == 1 ? 1 : 0);
    }
    // Welch and Satterthwaite's degrees of freedom.
    double freedom =
        variance
            * variance
            / (a.relativeVariance * a.relativeVariance / (a.count - 1)
                + b.relativeVariance * b.relativeVariance / (b.count - 1));
    double error = Math.sqrt(variance);
    double width = Math.exp(error * quantile(freedom));
    return new MeanChange(
        nanosBefore,
        nanosAfter,
        new RatioInterval(ratio / width, ratio * width, CONFIDENCE),
        StudentT.twoSided(Math.log(ratio) / error, freedom));
  }

  /** The t that is exceeded, on either side, as often as {@link #SIGNIFICANCE}. */
  private static double quantile(double freedom) {
    double low = 0;
    double high = LARGEST_T;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      if (StudentT.twoSided(middle, freedom) > SIGNIFICANCE) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }
}
