package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which span waited for which. As a rule, a span waits for its children. For two kinds of spans,
 * another span than the parent waits:
 *
 * <ul>
 *   <li>The execution of a call whose sender has a span of kind PRODUCER. That span ends when the
 *       call has been submitted, so its parent, or a further ancestor, waits for the execution.
 *   <li>A span that outlives its parent. A span that still runs when it ends has waited for it, if
 *       there is one.
 * </ul>
 *
 * <p>The nearest ancestor that ends no earlier is the one that waited, but for a {@link Tolerance}.
 * The search ends at the step: a span that outlives its step is overlapped work. So is one whose
 * caller gave up ({@link AbandonedCalls}).
 *
 * <p>A span of kind CLIENT waits for its execution by definition, as long as it runs itself.
 */
final class WaitTree {

  /** Used instead of a parent in the tree: nothing waited for the span. */
  static final int NOBODY = -3;

  private static final int UNKNOWN = -4;

  private final Spans spans;
  private final SpanTree tree;
  private final StepUnits units;

  /** For each span, see {@link #longer}; null until a span outlives its parent. */
  private int @Nullable [] longer;

  /**
   * For each PRODUCER that was passed, see {@link #aboveSenders}; null until there are two in a
   * row.
   */
  private int @Nullable [] senders;

  private int[] way = new int[64];

  private WaitTree(Spans spans, SpanTree tree, StepUnits units) {
    this.spans = spans;
    this.tree = tree;
    this.units = units;
  }

  /** The tree of waiting; the given one if each span waited for its children. */
  static SpanTree of(Spans spans, SpanTree tree, StepUnits units) {
    WaitTree waitTree = new WaitTree(spans, tree, units);
    int[] waiters = null;
    AbandonedCalls abandoned = new AbandonedCalls(spans, tree);
    for (int span : tree.order()) {
      int parent = tree.above(span);
      if (parent < 0 || spans.kind(parent) == Span.CLIENT || !spans.isTimed(span)) {
        continue;
      }
      int waiter = waitTree.waiter(span);
      if (waiter != parent) {
        waiters = waiters == null ? tree.parents() : waiters;
        waiters[span] = waiter;
        if (waiter >= 0) {
          abandoned.see(span, waiter);
        }
      }
    }
    if (waiters != null) {
      abandoned.markIn(waiters);
    }
    return waiters == null ? tree : tree.withParents(waiters);
  }

  private int waiter(int span) {
    int at = aboveSenders(span);
    if (at < 0) {
      return tree.above(span); // there is no other
    }
    long toleranceNanos = Tolerance.nanos(spans.nanos(span));
    while (spans.end(span) - spans.end(at) > toleranceNanos) {
      at = longer(at);
      if (at < 0) {
        return NOBODY;
      }
    }
    return at;
  }

  /**
   * The nearest ancestor that is not a PRODUCER; a negative number if there is none within the
   * step. Of a long chain of senders, each is passed once.
   */
  private int aboveSenders(int span) {
    int[] known = senders;
    int at = tree.above(span);
    int passed = 0;
    while (at >= 0 && spans.kind(at) == Span.PRODUCER) {
      if (known != null && known[at] != UNKNOWN) {
        at = known[at];
        break;
      }
      passed++;
      at = units.isStep(at) ? SpanTree.NONE : tree.above(at);
    }
    if (passed > 1) { // usually it is one, whose own parent waits
      known = known == null ? unknown() : known;
      senders = known;
      for (int sender = tree.above(span); passed > 0; sender = tree.above(sender), passed--) {
        known[sender] = at;
      }
    }
    return at;
  }

  private int[] unknown() {
    int[] unknown = new int[spans.size()];
    Arrays.fill(unknown, UNKNOWN);
    return unknown;
  }

  /**
   * The nearest ancestor that ends later than a span, {@link #NOBODY} if none within the step does.
   * If each span of a long chain outlives the one above it, the search skips the chain.
   */
  private int longer(int span) {
    int[] known = longer;
    if (known == null) {
      known = unknown();
      longer = known;
    }
    int count = 0;
    for (int at = span; known[at] == UNKNOWN; at = tree.above(at)) {
      way = count == way.length ? Arrays.copyOf(way, 2 * count) : way;
      way[count++] = at;
      if (units.isStep(at) || tree.above(at) < 0) {
        break;
      }
    }
    while (count > 0) {
      int at = way[--count];
      int above = units.isStep(at) || tree.above(at) < 0 ? NOBODY : tree.above(at);
      while (above >= 0 && spans.end(above) <= spans.end(at)) {
        above = known[above];
      }
      known[at] = above;
    }
    return known[span];
  }
}
