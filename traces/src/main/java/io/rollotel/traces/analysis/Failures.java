package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Failed spans, counted where the failure began.
 *
 * <p>A span has only passed on its child's failure if it failed for the same reason or without a
 * reason, or if its reason ends with the child's, as an exception with a cause does. That does not
 * count as a separate failure. Reasons that differ only in numbers are the same.
 */
public final class Failures implements Serializable {

  /**
   * The failures of spans with one name for one reason.
   *
   * @param count how often it began there
   * @param seen how many ancestors passed it on
   * @param failure the reason of the first; {@link Spans#failureText} tells it
   * @param isVaried whether the others' reasons differ from it in numbers, or did so too often to
   *     be kept
   */
  public record Failure(
      int name, int failure, long count, long seen, int firstSpan, boolean isVaried) {}

  private record Key(int name, String pattern) implements Serializable {}

  private static final class Sum implements Serializable {
    int firstSpan = -1;
    double count;
    double seen;
    boolean isVaried;
  }

  private static final int LISTED = 50;

  private final Spans spans;
  private final Map<Key, Sum> sums = new HashMap<>();
  private double failed;
  private double began;

  /** None yet. */
  Failures(Spans spans) {
    this.spans = spans;
  }

  /**
   * Looks through a run.
   *
   * @param members the run's spans in the tree's order
   */
  Failures(Spans spans, SpanTree tree, int[] members) {
    this(spans);
    int[] failedSpans = Rows.where(spans::isError, members);
    // The origin of each failed span's failure.
    int[] origins = failedSpans.length == 0 ? failedSpans : origins(tree, failedSpans);
    for (int span : failedSpans) {
      add(span, origins[span]);
    }
  }

  /** Children before their parents, so that no chain of ancestors is traversed twice. */
  private int[] origins(SpanTree tree, int[] failedSpans) {
    int[] depths = tree.depths();
    int[] deepestFirst = failedSpans.clone();
    IndexSort.sort(deepestFirst, (a, b) -> depths[a] > depths[b]);
    int[] found = new int[spans.size()];
    for (int span : deepestFirst) {
      found[span] = origin(tree, span, found);
    }
    return found;
  }

  private void add(int span, int origin) {
    double weight = spans.weight(span);
    failed += weight;
    Sum sum = sums.computeIfAbsent(key(origin), key -> new Sum());
    if (span != origin) {
      sum.seen += weight;
      first(sum, origin);
      return;
    }
    began += weight;
    sum.count += weight;
    first(sum, span);
  }

  /** The first span in which it began is shown. */
  private void first(Sum sum, int span) {
    if (sum.firstSpan < 0) {
      sum.firstSpan = span;
      return;
    }
    sum.isVaried |= spans.failure(span) != spans.failure(sum.firstSpan);
    if (spans.compare(span, sum.firstSpan) < 0) {
      sum.firstSpan = span;
    }
  }

  void add(Failures part, RowCopies copies) {
    failed += part.failed;
    began += part.began;
    for (Sum other : part.sums.values()) {
      int span = copies.of(other.firstSpan);
      Sum sum = sums.computeIfAbsent(key(span), key -> new Sum());
      sum.count += other.count;
      sum.seen += other.seen;
      sum.isVaried |= other.isVaried;
      first(sum, span);
    }
  }

  private Key key(int span) {
    return new Key(spans.name(span), spans.failurePattern(spans.failure(span)));
  }

  /** The origin of the first child's failure that the span passed on; otherwise the span itself. */
  private int origin(SpanTree tree, int span, int[] known) {
    for (int i = 0; i < tree.childCount(span); i++) {
      int child = tree.child(span, i);
      if (spans.isError(child)
          && spans.run(child) == spans.run(span) // otherwise it was not examined
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
        sum.isVaried || spans.isFailurePatternOnly(spans.failure(sum.firstSpan)));
  }

  /** How many spans failed, including spans that only passed a failure on. */
  public long failed() {
    return Math.round(failed);
  }

  /** How many of them it began in. */
  public long began() {
    return Math.round(began);
  }
}
