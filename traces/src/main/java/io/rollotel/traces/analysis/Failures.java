package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Failed spans, counted where the failure began.
 *
 * <p>A span has seen the failure of its child if it failed for the same reason, for none that it
 * knows, or if its reason ends with the child's, as that of an exception with a cause does. It is
 * no failure of its own. Reasons that differ in numbers alone are the same.
 */
public final class Failures {

  /**
   * What failed in spans of one name for one reason.
   *
   * @param count how often it began there
   * @param seen how many ancestors have seen that
   * @param failure the reason of the first; {@link Spans#failureText} tells it
   * @param isVaried whether the others' reasons differ from it in numbers
   */
  public record Failure(
      int name, int failure, long count, long seen, int firstSpan, boolean isVaried) {}

  private record Key(int name, String pattern) {}

  private static final class Sum {
    final int firstSpan;
    double count;
    double seen;
    boolean isVaried;

    Sum(int firstSpan) {
      this.firstSpan = firstSpan;
    }
  }

  private static final int LISTED = 50;

  private final Spans spans;
  private final SpanTree tree;
  private final Map<Key, Sum> sums = new HashMap<>();

  /** For each failed span where that began. */
  private final int[] origins;

  private double failed;
  private double began;

  /**
   * Looks through a run.
   *
   * @param members the run's spans in the tree's order
   */
  Failures(Spans spans, SpanTree tree, int[] members) {
    this.spans = spans;
    this.tree = tree;
    int[] failedSpans = Rows.where(spans::isError, members);
    this.origins = failedSpans.length == 0 ? failedSpans : origins(failedSpans);
    for (int span : failedSpans) {
      add(span, origins[span]);
    }
  }

  /** Children before their parents, so that no chain of ancestors is gone through twice. */
  private int[] origins(int[] failedSpans) {
    int[] depths = tree.depths();
    int[] deepestFirst = failedSpans.clone();
    IndexSort.sort(deepestFirst, (a, b) -> depths[a] > depths[b]);
    int[] found = new int[spans.size()];
    for (int span : deepestFirst) {
      found[span] = origin(span, found);
    }
    return found;
  }

  private void add(int span, int origin) {
    double weight = spans.weight(span);
    failed += weight;
    Sum sum = sums.computeIfAbsent(key(origin), key -> new Sum(origin));
    if (span != origin) {
      sum.seen += weight;
      return;
    }
    began += weight;
    sum.count += weight;
    sum.isVaried |= spans.failure(span) != spans.failure(sum.firstSpan);
  }

  private Key key(int span) {
    return new Key(spans.name(span), spans.failurePattern(spans.failure(span)));
  }

  /** That of the first child whose failure the span has seen, else the span. */
  private int origin(int span, int[] known) {
    for (int i = 0; i < tree.childCount(span); i++) {
      int child = tree.child(span, i);
      if (spans.isError(child)
          && spans.run(child) == spans.run(span) // else it was not looked at
          && (hasSeen(span, child) || hasSeen(span, known[child]))) {
        return known[child];
      }
    }
    return span;
  }

  private boolean hasSeen(int above, int below) {
    String ofAbove = spans.failurePattern(spans.failure(above));
    String ofBelow = spans.failurePattern(spans.failure(below));
    return ofAbove.isEmpty()
        || ofAbove.equals(ofBelow)
        || (!ofBelow.isEmpty() && ofAbove.endsWith(ofBelow));
  }

  /** The most frequent first. */
  public List<Failure> all() {
    return sums.values().stream()
        .map(this::failure)
        .sorted(
            Comparator.comparingLong(Failure::count)
                .reversed()
                .thenComparing(failure -> spans.names().text(failure.name))
                .thenComparing(failure -> spans.failureText(failure.failure)))
        .limit(LISTED)
        .toList();
  }

  private Failure failure(Sum sum) {
    return new Failure(
        spans.name(sum.firstSpan),
        spans.failure(sum.firstSpan),
        Math.round(sum.count),
        Math.round(sum.seen),
        sum.firstSpan,
        sum.isVaried);
  }

  /** How many spans failed, those that saw it among them. */
  public long failed() {
    return Math.round(failed);
  }

  /** How many of them it began in. */
  public long began() {
    return Math.round(began);
  }
}
