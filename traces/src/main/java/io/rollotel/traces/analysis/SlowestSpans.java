package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The longest spans of a run below its steps and outside of them. */
final class SlowestSpans implements Serializable {

  private static final int LISTED = 10;

  /** Of equal ones the last by {@link Spans#compare} first. */
  private record ShortestFirst(Spans spans) implements Comparator<Integer>, Serializable {
    @Override
    public int compare(Integer a, Integer b) {
      int order = Long.compare(spans.nanos(a), spans.nanos(b));
      return order != 0 ? order : spans.compare(b, a);
    }
  }

  private final Spans spans;
  private final ShortestFirst shortestFirst;
  private final PriorityQueue<Integer> longest;

  /** None yet. */
  SlowestSpans(Spans spans) {
    this.spans = spans;
    this.shortestFirst = new ShortestFirst(spans);
    this.longest = new PriorityQueue<>(shortestFirst);
  }

  /**
   * Those of a run.
   *
   * @param units whose steps' own spans do not count
   */
  SlowestSpans(Spans spans, StepUnits units, int[] members) {
    this(spans);
    for (int span : members) {
      if (!units.isStep(span)) {
        add(span);
      }
    }
  }

  void add(int span) {
    if (longest.size() < LISTED || shortestFirst.compare(span, longest.element()) > 0) {
      longest.add(span);
      if (longest.size() > LISTED) {
        longest.remove();
      }
    }
  }

  void add(SlowestSpans part, RowCopies copies) {
    for (int span : part.longest) {
      if (longest.size() < LISTED || part.spans.nanos(span) >= spans.nanos(longest.element())) {
        add(copies.of(span));
      }
    }
  }

  /** The longest first; of equal ones the first by {@link Spans#compare}. */
  List<Integer> all() {
    return longest.stream().sorted(shortestFirst.reversed()).toList();
  }
}
