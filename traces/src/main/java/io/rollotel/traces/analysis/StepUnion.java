package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Spans;
import java.util.List;

/** The moments in which at least one step runs. */
final class StepUnion {

  private final Stretches stretches = new Stretches();

  /** Sorted, each with the last end of all steps up to it. */
  private final long[] starts;

  private final long[] lastEnds;

  /** Sorted, each with the first start of all steps from it on. */
  private final long[] ends;

  private final long[] firstStarts;

  StepUnion(Spans spans, List<Steps.Step> steps) {
    int count = steps.size();
    this.starts = new long[count];
    this.lastEnds = new long[count];
    this.ends = new long[count];
    this.firstStarts = new long[count];
    int[] sorted = steps.stream().mapToInt(Steps.Step::span).toArray();
    IndexSort.sort(sorted, (a, b) -> spans.start(a) < spans.start(b));
    for (int i = 0; i < count; i++) {
      stretches.add(spans.start(sorted[i]), spans.end(sorted[i]));
      starts[i] = spans.start(sorted[i]);
      lastEnds[i] = Math.max(i == 0 ? 0 : lastEnds[i - 1], spans.end(sorted[i]));
    }
    IndexSort.sort(sorted, (a, b) -> spans.end(a) < spans.end(b));
    for (int i = count - 1; i >= 0; i--) {
      ends[i] = spans.end(sorted[i]);
      long later = i == count - 1 ? Long.MAX_VALUE : firstStarts[i + 1];
      firstStarts[i] = Math.min(later, spans.start(sorted[i]));
    }
  }

  /** How much of the union is before the moment. */
  long until(long moment) {
    return stretches.until(moment);
  }

  /** The union of the steps that overlap with a period. */
  long overlapping(long from, long to) {
    int begun = StepTimes.upTo(starts, to - 1);
    int ended = StepTimes.upTo(ends, from);
    if (begun == 0 || ended == ends.length) {
      return 0;
    }
    // Steps that run at either end of the period extend beyond it, without a gap.
    long before = Math.max(0, from - firstStarts[ended]);
    long after = Math.max(0, lastEnds[begun - 1] - to);
    return before + until(to) - until(from) + after;
  }
}
