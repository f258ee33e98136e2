package io.rollotel.traces.analysis;

import java.util.Arrays;

/**
 * The factor by which values have grown: Hodges and Lehmann's interval of the ratios of every later
 * value to every earlier one.
 *
 * <p>The interval excludes as many of the smallest and of the largest ratios as the Mann–Whitney
 * test allows at 5 %. For so few values that it allows none, it extends from the smallest ratio to
 * the largest, and {@code confidence} is less than 95 %.
 *
 * @param low not a number if either side has no values
 * @param high infinite if only the earlier values are 0
 * @param confidence how often such an interval contains the factor
 */
public record RatioInterval(double low, double high, double confidence) {

  static RatioInterval of(long[] before, long[] after) {
    int n = before.length;
    int m = after.length;
    if (n == 0 || m == 0) {
      return new RatioInterval(Double.NaN, Double.NaN, 0);
    }
    Pairs pairs = new Pairs(before.clone(), after.clone());
    long leftOut = Math.max(0, MannWhitney.clear(n, m));
    return new RatioInterval(
        pairs.ratio(leftOut + 1),
        pairs.ratio((long) n * m - leftOut),
        Math.max(0, 1 - MannWhitney.p(n, m, leftOut)));
  }

  /** The ratios of all pairs in order; there can be 10¹² of them, so they are not stored. */
  private static final class Pairs {
    private final long[] before;
    private final long[] after;

    Pairs(long[] before, long[] after) {
      this.before = before;
      this.after = after;
      Arrays.sort(before);
      Arrays.sort(after);
    }

    /** The k-th smallest ratio; that of nothing to nothing is 1. */
    double ratio(long k) {
      // Non-negative doubles are ordered like their bits, so each step halves the range.
      long low = -1;
      long high = Double.doubleToLongBits(Double.POSITIVE_INFINITY);
      while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (upTo(Double.longBitsToDouble(middle)) >= k) {
          high = middle;
        } else {
          low = middle;
        }
      }
      return Double.longBitsToDouble(high);
    }

    private long upTo(double ratio) {
      long count = 0;
      int reached = 0;
      int nothing = 0;
      while (nothing < after.length && after[nothing] == 0) {
        nothing++;
      }
      for (long one : before) {
        if (one == 0) {
          count += ratio >= 1 ? nothing : 0;
        } else {
          while (reached < after.length && (double) after[reached] / one <= ratio) {
            reached++;
          }
          count += reached;
        }
      }
      return count;
    }
  }
}
