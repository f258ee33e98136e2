package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The longest spans of a run below its steps and outside of them. */
final class SlowestSpans {

  private static final int LISTED = 10;

  private SlowestSpans() {}

  /**
   * The longest first; of equal ones the first in the tree.
   *
   * @param steps whose own spans do not count
   * @param members the run's spans in the tree's order
   */
  static List<Integer> of(Spans spans, SpanTree tree, Steps steps, int[] members) {
    Comparator<Integer> byNanos =
        Comparator.<Integer>comparingLong(spans::nanos)
            .thenComparing((a, b) -> tree.isBefore(b, a) ? -1 : tree.isBefore(a, b) ? 1 : 0);
    PriorityQueue<Integer> longest = new PriorityQueue<>(byNanos);
    for (int span : members) {
      if (steps.unit(span) == span) {
        continue;
      }
      if (longest.size() < LISTED || spans.nanos(span) > spans.nanos(longest.element())) {
        longest.add(span);
        if (longest.size() > LISTED) {
          longest.remove();
        }
      }
    }
    return longest.stream().sorted(byNanos.reversed()).toList();
  }
}
