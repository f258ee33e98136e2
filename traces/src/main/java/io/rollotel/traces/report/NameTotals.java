package io.rollotel.traces.report;

import io.rollotel.traces.file.Span;
import java.util.Arrays;

/** The durations of all spans of one name. */
final class NameTotals {

  private final String name;
  private long[] nanos = new long[8];
  private int count;
  private long totalNanos;
  private long errors;

  NameTotals(String name) {
    this.name = name;
  }

  void add(long durationNanos, int statusCode) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count);
    }
    nanos[count++] = durationNanos;
    totalNanos += durationNanos;
    if (statusCode == Span.STATUS_ERROR) {
      errors++;
    }
  }

  String name() {
    return name;
  }

  int count() {
    return count;
  }

  long totalNanos() {
    return totalNanos;
  }

  long meanNanos() {
    return Math.round((double) totalNanos / count);
  }

  long errors() {
    return errors;
  }

  /** The durations in ascending order. */
  long[] sortedNanos() {
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return sorted;
  }

  /** The nearest-rank percentile: the smallest value that so many percent do not exceed. */
  static long percentile(long[] sorted, int percent) {
    int rank = (int) (((long) sorted.length * percent + 99) / 100);
    return sorted[Math.max(rank, 1) - 1];
  }
}
