package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The spans with one name in one process: how many, and how long they took. For calls on Ray, the
 * executions, as in {@link RunAnalysis#nameTotals}.
 *
 * @param name a number of {@link Spans#names}
 * @param process a number of {@link Spans#processes}
 * @param selfNanos the time in which they waited for no other span
 */
public record WorkerSpans(
    int name,
    int process,
    long count,
    long totalNanos,
    long selfNanos,
    long meanNanos,
    long meanSelfNanos,
    long p95Nanos) {

  /**
   * The name with the most time first, as in a table of names; for each name, the process with the
   * longest mean first.
   */
  static List<WorkerSpans> of(Spans spans, CallPairs pairs, SpanTree waits, int[] members) {
    int processes = spans.processes().size();
    int[] ends = new int[processes + 1];
    for (int span : members) {
      ends[spans.process(span) + 1]++;
    }
    for (int i = 0; i < processes; i++) {
      ends[i + 1] += ends[i];
    }
    int[] byProcess = new int[members.length];
    for (int span : members) {
      byProcess[ends[spans.process(span)]++] = span;
    }
    List<WorkerSpans> all = new ArrayList<>();
    // One process after the other, so that only the durations of one are held.
    @Nullable NameTotals[] found = new NameTotals[spans.names().size()];
    long[] nanosOfNames = new long[found.length];
    int from = 0;
    for (int process = 0; process < processes; process++) {
      List<Integer> names = new ArrayList<>();
      for (; from < ends[process]; from++) {
        int span = byProcess[from];
        if (pairs.isDispatch(span)) {
          continue;
        }
        int name = spans.name(span);
        NameTotals totals = found[name];
        if (totals == null) {
          totals = new NameTotals("");
          found[name] = totals;
          names.add(name);
        }
        totals.add(spans.weight(span), spans.nanos(span), waits.selfNanos(span), false);
      }
      for (int name : names) {
        NameTotals totals = found[name];
        if (totals != null) {
          all.add(row(name, process, totals));
          nanosOfNames[name] += totals.totalNanos();
        }
        found[name] = null;
      }
    }
    sort(spans, all, nanosOfNames);
    return all;
  }

  private static void sort(Spans spans, List<WorkerSpans> all, long[] nanosOfNames) {
    all.sort(
        (a, b) -> {
          int order = Long.compare(nanosOfNames[b.name], nanosOfNames[a.name]);
          order =
              order != 0 ? order : spans.names().text(a.name).compareTo(spans.names().text(b.name));
          order = order != 0 ? order : Long.compare(b.meanNanos, a.meanNanos);
          return order != 0
              ? order
              : TracedProcess.ORDER.compare(
                  spans.processes().get(a.process), spans.processes().get(b.process));
        });
  }

  /** The sums behind the rows, by name and process, which take as much room as all durations. */
  static Map<Long, NameTotals> sums(Spans spans, CallPairs pairs, SpanTree waits, int[] members) {
    Map<Long, NameTotals> sums = new HashMap<>();
    for (int span : members) {
      if (!pairs.isDispatch(span)) {
        sums.computeIfAbsent(
                (long) spans.name(span) << Integer.SIZE | spans.process(span),
                both -> new NameTotals(""))
            .add(spans.weight(span), spans.nanos(span), waits.selfNanos(span), false);
      }
    }
    return sums;
  }

  /** The rows of sums by name and process. */
  static List<WorkerSpans> of(Spans spans, Map<Long, NameTotals> sums) {
    List<WorkerSpans> all = new ArrayList<>();
    long[] nanosOfNames = new long[spans.names().size()];
    sums.forEach(
        (both, totals) -> {
          int name = (int) (both >> Integer.SIZE);
          all.add(row(name, both.intValue(), totals));
          nanosOfNames[name] += totals.totalNanos();
        });
    sort(spans, all, nanosOfNames);
    return all;
  }

  private static WorkerSpans row(int name, int process, NameTotals totals) {
    return new WorkerSpans(
        name,
        process,
        totals.count(),
        totals.totalNanos(),
        totals.selfNanos(),
        totals.meanNanos(),
        totals.meanSelfNanos(),
        totals.percentile(95));
  }
}
