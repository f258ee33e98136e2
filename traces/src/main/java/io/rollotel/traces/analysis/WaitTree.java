package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;

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

  private WaitTree() {}

  /** The tree of waiting; the given one if each span waited for its children. */
  static SpanTree of(Spans spans, SpanTree tree, StepUnits units) {
    int[] waiters = null;
    AbandonedCalls abandoned = new AbandonedCalls(spans, tree);
    for (int span : tree.order()) {
      int parent = tree.above(span);
      if (parent < 0 || spans.kind(parent) == Span.CLIENT || !spans.isTimed(span)) {
        continue;
      }
      int waiter = waiter(spans, tree, units, span);
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

  private static int waiter(Spans spans, SpanTree tree, StepUnits units, int span) {
    int at = tree.above(span);
    while (at >= 0 && spans.kind(at) == Span.PRODUCER) {
      at = units.isStep(at) ? SpanTree.NONE : tree.above(at);
    }
    if (at < 0) {
      return tree.above(span); // there is no other
    }
    long toleranceNanos = Tolerance.nanos(spans.nanos(span));
    while (spans.end(span) - spans.end(at) > toleranceNanos) {
      int above = units.isStep(at) ? NOBODY : tree.above(at);
      if (above < 0) {
        return NOBODY;
      }
      at = above;
    }
    return at;
  }
}
