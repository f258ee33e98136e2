package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The {@link OutsideWork} of a run, by name; none if traces count as steps. */
final class OutsideTotals implements Serializable {

  private static final class Sum implements Serializable {
    private double traces;
    private long totalNanos;
    private final Longest longest;

    private Sum(Spans spans) {
      this.longest = new Longest(spans);
    }
  }

  private final Spans spans;
  private final Map<Integer, Sum> sums = new HashMap<>();

  /** None yet. */
  OutsideTotals(Spans spans) {
    this.spans = spans;
  }

  /**
   * Looks through a run.
   *
   * @param members the run's spans in the tree's order
   */
  OutsideTotals(Spans spans, SpanTree tree, StepUnits units, RunShape shape, int[] members) {
    this(spans);
    for (int from = 0; !shape.areTraces() && from < members.length; ) {
      int to = from;
      int top = -1;
      boolean hasStep = false;
      while (to < members.length && spans.trace(members[to]) == spans.trace(members[from])) {
        int span = members[to++];
        hasStep |= units.of(span) >= 0;
        // The members are sorted by start.
        top = top < 0 && spans.isTimed(span) && tree.isTop(span) ? span : top;
      }
      if (!hasStep && top >= 0 && shape.isBesideSteps(spans.start(top), spans.end(top))) {
        see(top);
      }
      from = to;
    }
  }

  private void see(int top) {
    Sum sum = sums.computeIfAbsent(spans.name(top), name -> new Sum(spans));
    sum.traces += spans.weight(top);
    sum.totalNanos += NameTotals.times(spans.weight(top), spans.nanos(top));
    sum.longest.see(spans.nanos(top), top);
  }

  void add(OutsideTotals part, RowCopies copies) {
    part.sums.forEach(
        (name, other) -> {
          Sum sum = sums.computeIfAbsent(name, none -> new Sum(spans));
          sum.traces += other.traces;
          sum.totalNanos += other.totalNanos;
          sum.longest.add(other.longest, copies);
        });
  }

  /** By name, the one with the most time first. */
  List<OutsideWork> all() {
    List<OutsideWork> all = new ArrayList<>();
    sums.forEach(
        (name, sum) ->
            all.add(
                new OutsideWork(name, Math.round(sum.traces), sum.totalNanos, sum.longest.span())));
    all.sort(
        Comparator.comparingLong(OutsideWork::totalNanos)
            .reversed()
            .thenComparing(one -> spans.names().text(one.name())));
    return all;
  }
}
