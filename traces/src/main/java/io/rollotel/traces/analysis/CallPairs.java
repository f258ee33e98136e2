package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;

/**
 * Calls on Ray, whose two ends have the same name: executions show how long they took, senders'
 * spans show their dispatch. If no execution of a name was read, only the senders' spans are known.
 */
final class CallPairs {

  private final Spans spans;
  private final SpanTree tree;
  private final RunShape shape;

  /** The shape is that of the whole run; these spans may be a part of it. */
  CallPairs(Spans spans, SpanTree tree, RunShape shape) {
    this.spans = spans;
    this.tree = tree;
    this.shape = shape;
  }

  /** Whether it is the sender's span of a call, and executions of that name were read. */
  boolean isDispatch(int span) {
    return spans.isDispatch(span) && shape.isExecuted(spans.name(span));
  }

  /** How long a call waited from its dispatch to its start; {@link Spans#NO_QUEUE} if unknown. */
  long queueNanos(int execution) {
    long queue = spans.queueNanos(execution);
    int sender = tree.parent(execution);
    if (queue != Spans.NO_QUEUE
        || sender < 0
        || !spans.isDispatch(sender)
        || spans.name(sender) != spans.name(execution)
        || !spans.isTimed(sender)
        || !spans.isTimed(execution)) {
      return queue;
    }
    long sinceCall = spans.start(execution) - spans.start(sender);
    // A call that starts while it is still being sent has not waited.
    return sinceCall < 0 ? sinceCall : Math.max(0, sinceCall - spans.nanos(sender));
  }
}
