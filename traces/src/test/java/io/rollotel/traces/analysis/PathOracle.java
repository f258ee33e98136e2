package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Forest.Node;
import io.rollotel.traces.otlp.Span;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Critical paths, found by looking at all that a span waited for at each moment. A path is the
 * number of a node for each nanosecond, negative while that node waits in the queue.
 */
final class PathOracle {

  private final Forest forest;
  private long[] painted = new long[Forest.LENGTH];

  PathOracle(Forest forest) {
    this.forest = forest;
  }

  long[] path(Node span) {
    painted = new long[Forest.LENGTH];
    follow(span, span.start, span.end, span.end, List.of());
    return painted;
  }

  /** The path from the end of the last step to the start of the first. */
  long[] pathOfRun() {
    painted = new long[Forest.LENGTH];
    List<Node> steps = forest.steps.stream().filter(step -> step.start < step.end).toList();
    long moment = steps.stream().mapToLong(step -> step.end).max().orElseThrow();
    Node next = nextStep(steps, moment);
    while (next != null) {
      moment = next.start;
      next = nextStep(steps, moment);
    }
    return painted;
  }

  /** An end within a step: the step's own, or that of a span for which it waited. */
  private record End(Node step, @Nullable Node child, long start, long end) {
    boolean isBefore(End other, long moment) {
      long far = Math.abs(moment - end);
      long otherFar = Math.abs(moment - other.end);
      if (far != otherFar) {
        return far < otherFar;
      }
      if (end != other.end) {
        return end < other.end;
      }
      return (child == null) != (other.child == null) ? child == null : step.isBefore(other.step);
    }
  }

  private @Nullable Node nextStep(List<Node> steps, long moment) {
    End nearest = null;
    Node lastBegun = null;
    for (Node step : steps) {
      if (step.start >= moment) {
        continue;
      }
      lastBegun = step;
      List<End> ends = new ArrayList<>();
      ends.add(new End(step, null, step.start, step.end));
      for (Node child : forest.waitedFor(step)) {
        ends.add(
            new End(step, child, Math.max(step.start, child.start), Math.min(step.end, child.end)));
      }
      for (End end : ends) {
        boolean isOver = (end.end - moment) * 10 <= end.end - end.start;
        if (end.start < end.end && isOver && (nearest == null || end.isBefore(nearest, moment))) {
          nearest = end;
        }
      }
    }
    if (nearest == null) {
      if (lastBegun != null) {
        follow(lastBegun, lastBegun.start, moment, Forest.LENGTH, List.of());
      }
      return lastBegun;
    }
    Node step = nearest.step;
    if (nearest.child == null) {
      long end = Math.min(step.end, moment); // what is left is between the steps
      follow(step, step.start, end, end, List.of());
    } else {
      follow(step, step.start, moment, Forest.LENGTH, List.of());
    }
    return step;
  }

  /**
   * Follows a span backwards.
   *
   * @param cut where what it waited for is cut off
   * @param below what the path is to go on in first, from the top; it was waited for by nobody here
   */
  private void follow(Node span, long from, long to, long cut, List<Node> below) {
    long moment = to;
    if (!below.isEmpty()) {
      moment = Math.max(below.get(0).start, from);
      follow(below.get(0), moment, to, Forest.LENGTH, below.subList(1, below.size()));
    }
    List<Node> waitedFor = forest.waitedFor(span);
    while (true) {
      Node chosen = null;
      for (Node other : waitedFor) {
        long start = Math.max(other.start, from);
        long end = Math.min(other.end, cut);
        boolean isOver = start < end && start < moment && (end - moment) * 10 <= end - start;
        boolean isLater =
            chosen == null
                || end > Math.min(chosen.end, cut)
                || (end == Math.min(chosen.end, cut) && other.isBefore(chosen));
        if (isOver && isLater) {
          chosen = other;
        }
      }
      if (chosen == null) {
        paint(painted, from, moment, span.number);
        return;
      }
      long reached = Math.min(chosen.end, moment);
      paint(painted, reached, moment, span.number);
      long start = Math.max(chosen.start, from);
      follow(chosen, start, reached, reached, List.of());
      long sent = Math.min(start, Math.max(from, sent(chosen, start)));
      paint(painted, sent, start, -chosen.number);
      List<Node> senders = new ArrayList<>();
      for (Node at = chosen.parent; at != null && !at.equals(span); at = at.parent) {
        senders.add(0, at);
      }
      int alive = 0;
      while (alive < senders.size()
          && senders.get(alive).start < sent
          && sent <= senders.get(alive).end) {
        alive++;
      }
      moment = sent;
      if (alive > 0) {
        Node first = senders.get(0);
        moment = Math.max(first.start, from);
        follow(first, moment, sent, Forest.LENGTH, senders.subList(1, alive));
      }
    }
  }

  /** When somebody sent it; its start where that is not known. */
  private long sent(Node span, long start) {
    Node parent = span.parent;
    if (parent == null) {
      return start;
    }
    if (parent.span.kind() == Span.PRODUCER && !parent.equals(forest.waiter(span))) {
      return parent.end;
    }
    Object queue = span.span.attributes().get("roll.queue_ns");
    boolean isRemote = !parent.span.resource().equals(span.span.resource());
    return isRemote && queue instanceof Long nanos && nanos > 0 ? span.start - nanos : start;
  }

  static void paint(long[] painted, long from, long to, long number) {
    for (long t = from; t < to; t++) {
      assertThat(painted[(int) t]).as("painted twice").isZero();
      painted[(int) t] = number;
    }
  }
}
