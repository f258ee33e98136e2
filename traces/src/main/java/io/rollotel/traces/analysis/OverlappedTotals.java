package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The {@link OverlappedWork} of a run, by name. */
final class OverlappedTotals implements Serializable {

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
  OverlappedTotals(Spans spans) {
    this.spans = spans;
  }

  OverlappedTotals(Spans spans, SpanTree waits, int[] members) {
    this(spans);
    for (int span : members) {
      if (waits.above(span) == WaitTree.NOBODY) {
        Sum sum = sums.computeIfAbsent(spans.name(span), name -> new Sum(spans));
        sum.count += spans.weight(span);
        sum.totalNanos += NameTotals.times(spans.weight(span), spans.nanos(span));
        sum.longest.see(spans.nanos(span), span);
      }
    }
  }

  void add(OverlappedTotals part, RowCopies copies) {
    part.sums.forEach(
        (name, other) -> {
          Sum sum = sums.computeIfAbsent(name, none -> new Sum(spans));
          sum.count += other.count;
          sum.totalNanos += other.totalNanos;
          sum.longest.add(other.longest, copies);
        });
  }

  /** By name, the one with the most time first. */
  List<OverlappedWork> all() {
    List<OverlappedWork> all = new ArrayList<>();
    sums.forEach(
        (name, sum) ->
            all.add(
                new OverlappedWork(
                    name, Math.round(sum.count), sum.totalNanos, sum.longest.span())));
    all.sort(
        Comparator.comparingLong(OverlappedWork::totalNanos)
            .reversed()
            .thenComparing(one -> spans.names().text(one.name())));
    return all;
  }
}
