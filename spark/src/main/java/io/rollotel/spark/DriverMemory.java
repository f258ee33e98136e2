package io.rollotel.spark;

import org.apache.spark.SparkConf;

/** Whether all durations may come to the driver, so that percentiles are exact. */
final class DriverMemory {

  /** The share of the heap for durations, as in a report on one machine. */
  private static final double DURATIONS_OF_HEAP = 0.35;

  /** The share of the size that Spark allows for results. */
  private static final double DURATIONS_OF_RESULTS = 0.5;

  /** The memory of a span's duration there: by name, by worker, and in distributions of these. */
  private static final long DURATION_BYTES = 48;

  /** The additional memory if a query may match the span. */
  private static final long MATCH_BYTES = 36;

  /** If percentiles are estimated, those of at most this many durations are still exact. */
  private static final int MOST_EXACT = 1_000;

  private final SparkConf configuration;

  DriverMemory(SparkConf configuration) {
    this.configuration = configuration;
  }

  /**
   * If there are more durations of a kind than this, percentiles are estimated.
   *
   * @param isMatched whether a query is matched with all spans
   */
  int mostExact(long spans, boolean isMatched) {
    long durationBytes = DURATION_BYTES + (isMatched ? MATCH_BYTES : 0);
    double bytes = DURATIONS_OF_HEAP * Runtime.getRuntime().maxMemory();
    long results = configuration.getSizeAsBytes("spark.driver.maxResultSize", "1g");
    if (results > 0) {
      bytes = Math.min(bytes, DURATIONS_OF_RESULTS * results);
    }
    return spans * durationBytes <= bytes ? Integer.MAX_VALUE : MOST_EXACT;
  }
}
