package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * What some spans of a run add up to. Both ends of a call are spans of their own here.
 *
 * @param count how many were read
 * @param all of them together
 * @param names by name, the one with the most time first
 * @param workers by process, the one with the most time first
 * @param slowest the longest first
 */
public record SelectedSpans(
    int count, NameTotals all, List<Group> names, List<Group> workers, List<Integer> slowest) {

  private static final int LISTED = 10;

  /**
   * The spans of one name, or of one process.
   *
   * @param number of the name or the process
   */
  public record Group(int number, NameTotals totals) {}

  /** Adds up those of a run's spans whose numbers are given. */
  public static SelectedSpans of(RunAnalysis run, BitSet selected) {
    Spans spans = run.spans();
    NameTotals all = new NameTotals("");
    Map<Integer, NameTotals> names = new TreeMap<>();
    Map<Integer, NameTotals> workers = new TreeMap<>();
    Comparator<Integer> byNanos =
        Comparator.<Integer>comparingLong(spans::nanos).thenComparing(Comparator.reverseOrder());
    PriorityQueue<Integer> longest = new PriorityQueue<>(byNanos);
    for (int span = selected.nextSetBit(0); span >= 0; span = selected.nextSetBit(span + 1)) {
      for (NameTotals totals :
          List.of(
              all,
              names.computeIfAbsent(spans.name(span), number -> new NameTotals("")),
              workers.computeIfAbsent(spans.process(span), number -> new NameTotals("")))) {
        totals.add(spans.weight(span), spans.nanos(span), 0, spans.isError(span));
      }
      longest.add(span);
      if (longest.size() > LISTED) {
        longest.remove();
      }
    }
    return new SelectedSpans(
        selected.cardinality(),
        all,
        groups(names),
        groups(workers),
        longest.stream().sorted(byNanos.reversed()).toList());
  }

  private static List<Group> groups(Map<Integer, NameTotals> totals) {
    return totals.entrySet().stream()
        .map(entry -> new Group(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.<Group>comparingLong(group -> group.totals.totalNanos())
                .reversed()
                .thenComparingInt(Group::number))
        .toList();
  }
}
