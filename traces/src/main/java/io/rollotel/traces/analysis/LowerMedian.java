package io.rollotel.traces.analysis;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/** The median of some values; of an even number of them, the lower of two: always one of them. */
final class LowerMedian {

  private LowerMedian() {}

  /** Of none it is 0. */
  static long of(LongStream values) {
    long[] sorted = values.sorted().toArray();
    return sorted.length == 0 ? 0 : ofSorted(sorted);
  }

  static double of(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    return sorted[middle(sorted.length)];
  }

  static long ofSorted(long[] sorted) {
    return sorted[middle(sorted.length)];
  }

  /** Of all but one of the values. */
  static long without(long value, long[] sorted) {
    int without = Arrays.binarySearch(sorted, value);
    int middle = middle(sorted.length - 1);
    return sorted[middle < without ? middle : middle + 1];
  }

  private static int middle(int count) {
    return (count - 1) / 2;
  }
}
