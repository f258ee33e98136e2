package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.Arrays;

/**
 * Disjoint periods of time in order, with the total length of all earlier ones; 16 to 24 bytes
 * each.
 */
final class Stretches implements Serializable {

  private static final long[] NOT_MADE = {};

  private long[] starts = new long[8];
  private long[] ends = new long[8];
  private int count;
  private long total;

  /** The total length of all earlier ones; computed on first use. */
  private long[] before = NOT_MADE;

  /** Adds a period; none begins before the one added last. */
  void add(long start, long end) {
    before = NOT_MADE;
    if (count > 0 && start <= ends[count - 1]) {
      total += Math.max(0, end - ends[count - 1]);
      ends[count - 1] = Math.max(ends[count - 1], end);
      return;
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    total += end - start;
    starts[count] = start;
    ends[count] = end;
    count++;
  }

  Stretches copy() {
    Stretches copy = new Stretches();
    copy.starts = starts.clone();
    copy.ends = ends.clone();
    copy.count = count;
    copy.total = total;
    return copy;
  }

  /** The union of both, as new periods. */
  static Stretches union(Stretches a, Stretches b) {
    if (a.count == 0 || b.count == 0) {
      return a.count == 0 ? b : a;
    }
    Stretches union = new Stretches();
    union.starts = new long[a.count + b.count];
    union.ends = new long[a.count + b.count];
    int i = 0;
    int j = 0;
    while (i < a.count || j < b.count) {
      boolean isA = j == b.count || (i < a.count && a.starts[i] <= b.starts[j]);
      union.add(isA ? a.starts[i] : b.starts[j], isA ? a.ends[i++] : b.ends[j++]);
    }
    return union;
  }

  int count() {
    return count;
  }

  long start(int n) {
    return starts[n];
  }

  long end(int n) {
    return ends[n];
  }

  long total() {
    return total;
  }

  /** Whether one ends after a moment and no later than another. */
  boolean hasEnd(long after, long until) {
    return StepTimes.upTo(ends, count, until) > StepTimes.upTo(ends, count, after);
  }

  /** These, ready to be asked by several threads at once. Nothing may be added any more. */
  Stretches summed() {
    if (before.length < count) {
      sumUp();
    }
    return this;
  }

  /** How much of them lies before the moment, found by bisection. */
  long until(long moment) {
    summed();
    int at = Arrays.binarySearch(starts, 0, count, moment);
    int last = at >= 0 ? at : -at - 2; // the last that starts no later
    return last < 0 ? 0 : before[last] + Math.min(moment, ends[last]) - starts[last];
  }

  /**
   * The same for moments one after the other: what is near the last one costs less than a
   * bisection.
   */
  final class Walk {

    /** The last that starts no later than the moment; -1 before all. */
    private int at = -1;

    Walk() {
      summed();
    }

    long until(long moment) {
      int low = at; // starts no later
      int high = at + 1; // starts later, or is the count
      for (int reach = 1; high < count && starts[high] <= moment; reach *= 2) {
        low = high;
        high = Math.min(count, high + reach);
      }
      for (int reach = 1; low >= 0 && starts[low] > moment; reach *= 2) {
        high = low;
        low = Math.max(-1, low - reach);
      }
      while (high - low > 1) {
        int middle = (low + high) >>> 1;
        if (starts[middle] <= moment) {
          low = middle;
        } else {
          high = middle;
        }
      }
      at = low;
      return low < 0 ? 0 : before[low] + Math.min(moment, ends[low]) - starts[low];
    }
  }

  private void sumUp() {
    long[] sums = new long[count];
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sums[i] = sum;
      sum += ends[i] - starts[i];
    }
    before = sums;
  }
}
