package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sums of some of a run's spans, by name. */
final class WorkByName implements Serializable {

  private static final class Sum implements Serializable {
    private double count;
    private long totalNanos;
    private final Longest longest;

    private Sum(Spans spans) {
      this.longest = new Longest(spans);
    }
  }

  private final Spans spans;
  private final Map<Integer, Sum> sums = new HashMap<>();

  /** None yet. */
  WorkByName(Spans spans) {
    this.spans = spans;
  }

  /** The work that outlived its step, or on which its caller gave up. */
  static WorkByName overlapped(Spans spans, SpanTree waits, int[] members) {
    WorkByName work = new WorkByName(spans);
    for (int span : members) {
      if (waits.above(span) == WaitTree.NOBODY) {
        work.see(span);
      }
    }
    return work;
  }

  /**
   * The first spans of the traces that ran beside the steps and belong to none. None if traces
   * count as steps.
   *
   * @param members the run's spans in the tree's order
   */
  static WorkByName outsideSteps(
      Spans spans, SpanTree tree, StepUnits units, RunShape shape, int[] members) {
    WorkByName work = new WorkByName(spans);
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
        work.see(top);
      }
      from = to;
    }
    return work;
  }

  /**
   * The spans beside the steps in their traces: their parents have steps below them, they do not.
   * What counts is the part of their time from the first step to the last in which no step of the
   * trace ran. None if traces count as steps.
   *
   * @param members the run's spans in the tree's order
   */
  static WorkByName betweenSteps(
      Spans spans, SpanTree tree, StepUnits units, RunShape shape, int[] members) {
    WorkByName work = new WorkByName(spans);
    if (shape.areTraces()) {
      return work;
    }
    BitSet isAboveSteps = new BitSet();
    for (int span : members) {
      if (units.isStep(span)) {
        int above = tree.above(span);
        for (; above >= 0 && !isAboveSteps.get(above); above = tree.above(above)) {
          isAboveSteps.set(above);
        }
      }
    }
    long[] extent = shape.extent();
    for (int from = 0; from < members.length && !isAboveSteps.isEmpty(); ) {
      int to = from;
      Stretches steps = new Stretches(); // the members are sorted by start
      for (; to < members.length && spans.trace(members[to]) == spans.trace(members[from]); to++) {
        if (units.isStep(members[to])) {
          steps.add(spans.start(members[to]), spans.end(members[to]));
        }
      }
      for (; from < to; from++) {
        int span = members[from];
        int above = tree.above(span);
        if (above >= 0
            && isAboveSteps.get(above)
            && !isAboveSteps.get(span)
            && units.of(span) < 0
            && spans.isTimed(span)) {
          long start = Math.max(spans.start(span), extent[0]);
          long end = Math.min(spans.end(span), extent[1]);
          if (start < end) {
            work.see(span, end - start - (steps.until(end) - steps.until(start)));
          }
        }
      }
    }
    return work;
  }

  private void see(int span) {
    see(span, spans.nanos(span));
  }

  private void see(int span, long nanos) {
    Sum sum = sums.computeIfAbsent(spans.name(span), name -> new Sum(spans));
    sum.count += spans.weight(span);
    sum.totalNanos += NameTotals.times(spans.weight(span), nanos);
    sum.longest.see(nanos, span);
  }

  void add(WorkByName part, RowCopies copies) {
    part.sums.forEach(
        (name, other) -> {
          Sum sum = sums.computeIfAbsent(name, none -> new Sum(spans));
          sum.count += other.count;
          sum.totalNanos += other.totalNanos;
          sum.longest.add(other.longest, copies);
        });
  }

  /** By name, the one with the most time first. */
  List<WorkOfName> all() {
    List<WorkOfName> all = new ArrayList<>();
    sums.forEach(
        (name, sum) ->
            all.add(
                new WorkOfName(name, Math.round(sum.count), sum.totalNanos, sum.longest.span())));
    all.sort(
        Comparator.comparingLong(WorkOfName::totalNanos)
            .reversed()
            .thenComparing(one -> spans.names().text(one.name())));
    return all;
  }
}
