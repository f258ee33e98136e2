package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * Calls that the agent sent to a worker, and whose execution was not read: the worker's spans went
 * elsewhere, or it makes none.
 *
 * <p>Only of a task of Ray's is it known that its execution has a span. A call that failed may
 * never have been executed, and of one that could not take its context along the execution may have
 * been thinned out by itself: neither counts.
 */
public final class LostExecutions {

  private static final int SERVER = 2;
  private static final int CONSUMER = 5;

  private final int[] calls;

  /**
   * Looks through a run.
   *
   * @param members the run's spans in the tree's order
   */
  LostExecutions(Spans spans, SpanTree tree, int[] members) {
    this.calls =
        Arrays.stream(members)
            .filter(
                span ->
                    spans.isCall(span)
                        && !spans.isError(span)
                        && spans.weight(span) == 1
                        && Arrays.stream(tree.children(span))
                            .noneMatch(child -> isExecution(spans, child)))
            .toArray();
  }

  private static boolean isExecution(Spans spans, int child) {
    return spans.kind(child) == CONSUMER || spans.kind(child) == SERVER;
  }

  /** The calls' spans, in the tree's order. */
  public int[] calls() {
    return calls;
  }
}
