package io.rollotel.spark;

import org.apache.spark.SparkConf;

/** Whether all durations may come to the driver, so that percentiles are exact. */
final class DriverMemory {

  /** Of the heap, for durations; as in a report on one machine. */
  private static final double DURATIONS_OF_HEAP = 0.35;

  /** Of what Spark lets through to the driver. */
  private static final double DURATIONS_OF_RESULTS = 0.5;

  /** What a span's duration takes there: by name, by worker, in distributions of the same. */
  private static final long DURATION_BYTES = 48;

  /** What it takes again where a query may match the span. */
  private static final long MATCH_BYTES = 36;

  /** Where percentiles are estimated, those of so many durations are exact all the same. */
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
