package io.rollotel.traces.analysis;

import java.util.Arrays;

/** What the spans of one name add up to. */
public final class NameTotals {

  private final String name;
  private long[] nanos = new long[8];
  private int count;
  private long totalNanos;
  private long selfNanos;
  private long errors;
  private boolean isSorted;

  NameTotals(String name) {
    this.name = name;
  }

  void add(long durationNanos, long itselfNanos, boolean isError) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count);
    }
    nanos[count++] = durationNanos;
    totalNanos += durationNanos;
    selfNanos += itselfNanos;
    errors += isError ? 1 : 0;
    isSorted = false;
  }

  public String name() {
    return name;
  }

  public int count() {
    return count;
  }

  public long totalNanos() {
    return totalNanos;
  }

  /** The spans' time without that in which a child of theirs ran. */
  public long selfNanos() {
    return selfNanos;
  }

  public long meanNanos() {
    return Math.round((double) totalNanos / count);
  }

  public long errors() {
    return errors;
  }

  /** The nearest-rank percentile of the durations. */
  public long percentile(int percent) {
    if (!isSorted) {
      Arrays.sort(nanos, 0, count);
      isSorted = true;
    }
    return percentile(nanos, count, percent);
  }

  /** The nearest-rank percentile: the smallest value that so many percent do not exceed. */
  static long percentile(long[] sorted, int percent) {
    return percentile(sorted, sorted.length, percent);
  }

  private static long percentile(long[] sorted, int length, int percent) {
    int rank = (int) (((long) length * percent + 99) / 100);
    return sorted[Math.max(rank, 1) - 1];
  }
}
