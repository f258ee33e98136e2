package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The critical paths of all steps of a run, added up by span name and by process. */
public final class PathShares {

  /** What one name or process has of the paths. */
  public record Share(int number, long nanos) {}

  private final Map<Integer, Long> byName = new HashMap<>();
  private final Map<Integer, Long> byProcess = new HashMap<>();
  private final long[] nanosOfSpan;
  private long totalNanos;

  /** Follows the path of every step. */
  PathShares(Spans spans, SpanTree tree, List<Steps.Step> steps) {
    this.nanosOfSpan = new long[steps.isEmpty() ? 0 : spans.size()];
    CriticalPath path = new CriticalPath(spans, tree);
    for (Steps.Step step : steps) {
      double weight = spans.weight(step.span());
      path.follow(
          step.span(),
          (span, from, to) -> {
            long nanos = to - from;
            long ofAll = NameTotals.times(weight, nanos);
            totalNanos += ofAll;
            nanosOfSpan[span] += nanos;
            byName.merge(spans.name(span), ofAll, Long::sum);
            byProcess.merge(spans.process(span), ofAll, Long::sum);
          });
    }
  }

  /** How long a span is on its step's path by itself. */
  public long nanosOf(int span) {
    return span < nanosOfSpan.length ? nanosOfSpan[span] : 0;
  }

  /** The wall time of all steps. */
  public long totalNanos() {
    return totalNanos;
  }

  /** What a process has. */
  public long nanosOfProcess(int process) {
    return byProcess.getOrDefault(process, 0L);
  }

  /** By span names, the largest first. */
  public List<Share> names() {
    return sorted(byName);
  }

  /** By processes, the largest first. */
  public List<Share> processes() {
    return sorted(byProcess);
  }

  private static List<Share> sorted(Map<Integer, Long> nanos) {
    return nanos.entrySet().stream()
        .map(entry -> new Share(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingLong(Share::nanos).reversed().thenComparingInt(Share::number))
        .toList();
  }
}
