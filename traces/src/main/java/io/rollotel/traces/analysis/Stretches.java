package io.rollotel.traces.analysis;

import java.util.Arrays;

/** Disjoint stretches of time in order, and how long all before each are. */
final class Stretches {

  private long[] starts = new long[8];
  private long[] ends = new long[8];
  private long[] before = new long[8];
  private int count;

  /** Adds a stretch; none begins before the one added last. */
  void add(long start, long end) {
    if (count > 0 && start <= ends[count - 1]) {
      ends[count - 1] = Math.max(ends[count - 1], end);
      return;
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      before = Arrays.copyOf(before, 2 * count);
    }
    before[count] = total();
    starts[count] = start;
    ends[count] = end;
    count++;
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
    return count == 0 ? 0 : before[count - 1] + ends[count - 1] - starts[count - 1];
  }

  /** How much of them lies before the moment, found by bisection. */
  long until(long moment) {
    int at = Arrays.binarySearch(starts, 0, count, moment);
    int last = at >= 0 ? at : -at - 2; // the last that starts no later
    return last < 0 ? 0 : before[last] + Math.min(moment, ends[last]) - starts[last];
  }
}
