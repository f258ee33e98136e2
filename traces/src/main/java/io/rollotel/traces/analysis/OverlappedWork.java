package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Spans of one name for which nobody waited, since they outlived their step. They are on no
 * critical path, whatever they took.
 *
 * @param name the number of the name
 * @param count how many these stand for
 * @param totalNanos what they took
 * @param longest the span that took the most
 */
public record OverlappedWork(int name, long count, long totalNanos, int longest) {

  private static final class Sum {
    private final NameTotals totals = new NameTotals("");
    private int longest = -1;
  }

  /** By name, the one with the most time first. */
  static List<OverlappedWork> of(Spans spans, SpanTree waits, int[] members) {
    Map<Integer, Sum> sums = new HashMap<>();
    for (int span : members) {
      if (waits.above(span) != WaitTree.NOBODY) {
        continue;
      }
      Sum sum = sums.computeIfAbsent(spans.name(span), name -> new Sum());
      sum.totals.add(spans.weight(span), spans.nanos(span), 0, false);
      if (sum.longest < 0 || spans.nanos(span) > spans.nanos(sum.longest)) {
        sum.longest = span;
      }
    }
    List<OverlappedWork> all = new ArrayList<>();
    sums.forEach(
        (name, sum) ->
            all.add(
                new OverlappedWork(
                    name, sum.totals.count(), sum.totals.totalNanos(), sum.longest)));
    all.sort(
        Comparator.comparingLong(OverlappedWork::totalNanos)
            .reversed()
            .thenComparing(one -> spans.names().text(one.name)));
    return all;
  }
}
