package io.rollotel.traces.analysis;

import java.io.Serializable;

/**
 * An estimate of the total number from the sampled ones, with its error. A trace of weight {@code
 * w} was taken with the probability {@code 1 / w}, independently of the others, and all that is in
 * it with it. So what one trace adds is off by {@code √(w (w − 1))} for each that it has (Horvitz
 * and Thompson), and the variances of traces add up. Counts can be added in any order.
 */
public final class ThinnedCount implements Serializable {

  /** Standard deviations on each side that hold 95 % of a normal distribution. */
  private static final double DEVIATIONS = 1.959964;

  private long taken;
  private double sum;
  private double variance;
  private double deviationOfTrace;

  ThinnedCount() {}

  /** An interval; it never begins below the sampled number. */
  public record Interval(long low, long high) {}

  /** Adds one of the trace that is being read. */
  void add(double weight) {
    taken++;
    sum += weight;
    deviationOfTrace += Math.sqrt(weight * (weight - 1));
  }

  /**
   * The trace has been read. If two traces were joined, and each was thinned out separately, this
   * counts them as one: the interval is rather too wide than too narrow.
   */
  void endTrace() {
    variance += deviationOfTrace * deviationOfTrace;
    deviationOfTrace = 0;
  }

  /** Those of other traces. */
  void add(ThinnedCount part) {
    taken += part.taken;
    sum += part.sum;
    variance += part.variance;
  }

  long count() {
    return Math.round(sum);
  }

  Interval interval() {
    double off = DEVIATIONS * Math.sqrt(variance);
    return new Interval(Math.max(taken, Math.round(sum - off)), Math.round(sum + off));
  }
}
