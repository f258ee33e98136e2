package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Calls that the agent sent to a worker, but whose execution is not in the files: the worker's
 * spans went elsewhere, or it creates none.
 *
 * <p>Only for Ray tasks is it certain that the execution has a span. A failed call may never have
 * been executed. If a call could not carry its context, its execution may have been thinned out
 * separately. Neither counts.
 */
public final class LostExecutions implements Serializable {

  private static final int SERVER = 2;
  private static final int CONSUMER = 5;

  /**
   * Calls of one name.
   *
   * @param first the call that was sent first
   */
  public record Lost(int name, long count, int first) implements Serializable {}

  private final Spans spans;
  private final Map<Integer, Lost> byName = new HashMap<>();

  /** None yet. */
  LostExecutions(Spans spans) {
    this.spans = spans;
  }

  /**
   * Looks through a run.
   *
   * @param open spans that have not ended: the calls that they execute are not lost
   */
  LostExecutions(Spans spans, SpanTree tree, int[] members, OpenSpans open) {
    this(spans);
    Set<String> isExecuted =
        open.rows().stream()
            .map(row -> row.span().traceId() + row.span().parentSpanId())
            .collect(Collectors.toSet());
    for (int span : members) {
      if (spans.isCall(span)
          && !spans.isError(span)
          && spans.weight(span) == 1
          && Arrays.stream(tree.children(span)).noneMatch(child -> isExecution(spans, child))
          && (isExecuted.isEmpty()
              || !isExecuted.contains(spans.traceIdOf(span) + spans.spanId(span)))) {
        add(spans.name(span), 1, span);
      }
    }
  }

  void add(LostExecutions part, RowCopies copies) {
    part.byName.values().forEach(lost -> add(lost.name, lost.count, copies.of(lost.first)));
  }

  private void add(int name, long count, int first) {
    Lost known = byName.get(name);
    byName.put(
        name,
        known == null
            ? new Lost(name, count, first)
            : new Lost(
                name,
                known.count + count,
                spans.compare(first, known.first) < 0 ? first : known.first));
  }

  private static boolean isExecution(Spans spans, int child) {
    return spans.kind(child) == CONSUMER || spans.kind(child) == SERVER;
  }

  /** By name, the most frequent first. */
  public List<Lost> all() {
    return byName.values().stream()
        .sorted(
            Comparator.comparingLong(Lost::count)
                .reversed()
                .thenComparing(lost -> spans.names().text(lost.name)))
        .toList();
  }
}
