package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much step time has passed by any moment. Concurrent steps count separately, but once if the
 * steps of a run overlap.
 */
final class StepTimes {

  private final long[] starts;
  private final long[] ends;

  // Prefix sums of the sorted values. Those of starts and ends may overflow, but only their
  // differences are used, which are still correct.
  private final long[] startSums;
  private final long[] endSums;
  private final long[] wallSumsByStart;
  private final long[] wallSumsByEnd;

  private final StepOverlap overlap;
  private final @Nullable StepUnion union;

  /**
   * Adds up steps.
   *
   * @param areTraces whether they are traces, which normally overlap
   */
  StepTimes(Spans spans, List<Steps.Step> steps, boolean areTraces) {
    int[] sorted = steps.stream().mapToInt(Steps.Step::span).toArray();
    IndexSort.sort(sorted, (a, b) -> spans.start(a) < spans.start(b));
    this.starts = new long[sorted.length];
    this.startSums = new long[sorted.length + 1];
    this.wallSumsByStart = new long[sorted.length + 1];
    for (int i = 0; i < sorted.length; i++) {
      starts[i] = spans.start(sorted[i]);
      startSums[i + 1] = startSums[i] + starts[i];
      wallSumsByStart[i + 1] = wallSumsByStart[i] + spans.nanos(sorted[i]);
    }
    IndexSort.sort(sorted, (a, b) -> spans.end(a) < spans.end(b));
    this.ends = new long[sorted.length];
    this.endSums = new long[sorted.length + 1];
    this.wallSumsByEnd = new long[sorted.length + 1];
    for (int i = 0; i < sorted.length; i++) {
      ends[i] = spans.end(sorted[i]);
      endSums[i + 1] = endSums[i] + ends[i];
      wallSumsByEnd[i + 1] = wallSumsByEnd[i] + spans.nanos(sorted[i]);
    }
    this.overlap = StepOverlap.of(starts, ends);
    this.union = overlap.isOverlapping() && !areTraces ? new StepUnion(spans, steps) : null;
  }

  StepOverlap overlap() {
    return overlap;
  }

  /** Whether concurrent steps count once. */
  boolean isUnion() {
    return union != null;
  }

  /** {@code Σ over the steps of max(0, min(moment, end) − start)}, or the union of these. */
  long until(long moment) {
    if (union != null) {
      return union.until(moment);
    }
    int begun = upTo(starts, moment);
    int ended = upTo(ends, moment);
    return begun * moment - startSums[begun] - (ended * moment - endSums[ended]);
  }

  /** The wall time of the steps that overlap with a period. */
  long wallOverlapping(long from, long to) {
    if (union != null) {
      return union.overlapping(from, to);
    }
    return wallSumsByStart[upTo(starts, to - 1)] - wallSumsByEnd[upTo(ends, from)];
  }

  /** How many are not after the moment. */
  static int upTo(long[] sorted, long moment) {
    return upTo(sorted, sorted.length, moment);
  }

  /** The same of the first ones. */
  static int upTo(long[] sorted, int count, long moment) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] <= moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
