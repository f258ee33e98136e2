package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Forest.Node;
import io.rollotel.traces.otlp.Span;
import java.util.ArrayList;
import java.util.Arrays;
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
    long[] ofRun = new long[Forest.LENGTH];
    List<End> ends = ends();
    long moment = ends.stream().mapToLong(End::end).max().orElseThrow();
    End turn = null;
    while (true) {
      long now = moment;
      End next = turn != null ? turn : nearest(ends, now);
      Node step = next != null ? next.step : lastBegun(now);
      if (step == null) {
        return ofRun;
      }
      boolean isOver = turn == null && next != null && next.child == null;
      long to = isOver ? Math.min(step.end, now) : now; // what is left is between the steps
      painted = new long[Forest.LENGTH];
      follow(step, step.start, to, isOver ? to : Forest.LENGTH, List.of());
      moment = step.start;
      turn = null;
      long begun = to; // of what the step did or waited for
      for (long t = to - 1; t >= step.start && turn == null; t--) {
        ofRun[(int) t] = painted[(int) t];
        boolean isOwn = painted[(int) t] == step.number;
        begun = isOwn ? begun : t;
        if (isOwn && (t == step.start || painted[(int) t - 1] != step.number)) {
          turn = turn(ends, step, phase(step, begun, to), t, begun);
          if (turn != null) {
            moment = Math.min(turn.end, begun);
            Arrays.fill(ofRun, (int) t, (int) moment, 0);
          }
        }
      }
    }
  }

  /** What the step waited for when the path came to that moment. */
  private @Nullable Node phase(Node step, long from, long to) {
    for (long t = from; t < to; t++) {
      Node at = forest.nodes.get((int) Math.abs(painted[(int) t]) - 1);
      while (at != null && !at.equals(step)) {
        Node waiter = at.parent == null ? null : forest.waiter(at);
        if (step.equals(waiter)) {
          return at;
        }
        at = waiter;
      }
    }
    return null;
  }

  /** The end of another step's phase of that name with which a gap of this one is over. */
  private static @Nullable End turn(
      List<End> ends, Node step, @Nullable Node phase, long from, long to) {
    return ends.stream()
        .filter(end -> phase != null && end.child != null && !end.step.equals(step))
        .filter(end -> end.child != null && phase != null && end.child.name().equals(phase.name()))
        .filter(end -> Math.abs(end.end - to) * 10 <= to - from && end.start < to)
        .min((a, b) -> a.isBefore(b, to) ? -1 : 1)
        .orElse(null);
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

  private List<End> ends() {
    List<End> ends = new ArrayList<>();
    for (Node step : forest.steps) {
      ends.add(new End(step, null, step.start, step.end));
      for (Node child : forest.waitedFor(step)) {
        ends.add(
            new End(step, child, Math.max(step.start, child.start), Math.min(step.end, child.end)));
      }
    }
    ends.removeIf(end -> end.start >= end.end);
    return ends;
  }

  private static @Nullable End nearest(List<End> ends, long moment) {
    End nearest = null;
    for (End end : ends) {
      boolean isOver = end.step.start < moment && (end.end - moment) * 10 <= end.end - end.start;
      if (isOver && (nearest == null || end.isBefore(nearest, moment))) {
        nearest = end;
      }
    }
    return nearest;
  }

  private @Nullable Node lastBegun(long moment) {
    return forest.steps.stream()
        .filter(step -> step.start < moment && step.start < step.end)
        .reduce((a, b) -> b)
        .orElse(null);
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
    Node occupant = null;
    while (true) {
      Node chosen = occupant;
      for (Node other : occupant == null ? waitedFor : List.<Node>of()) {
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
      occupant = occupant(waitedFor, chosen, from, sent, start, cut);
      if (occupant != null) {
        moment = Math.min(occupant.end, cut);
        paint(painted, moment, start, -chosen.number);
        continue;
      }
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

  /** The last that the call's process ended in the last tenth of the call's wait. */
  private static @Nullable Node occupant(
      List<Node> waitedFor, Node call, long from, long sent, long start, long cut) {
    Node occupant = null;
    for (Node other : waitedFor) {
      long end = Math.min(other.end, cut);
      boolean isSame = other.span.resource().equals(call.span.resource());
      boolean isJust = sent < end && end <= start && (start - end) * 10 <= start - sent;
      boolean isLater =
          occupant == null
              || end > Math.min(occupant.end, cut)
              || (end == Math.min(occupant.end, cut) && other.isBefore(occupant));
      if (isSame && isJust && Math.max(other.start, from) < end && isLater) {
        occupant = other;
      }
    }
    return occupant;
  }

  /** When it was sent; its start if that is not known. */
  private long sent(Node span, long start) {
    return sent(forest, span, start);
  }

  /** The same; of one that was sent later than it began, a later time. */
  static long sent(Forest forest, Node span, long start) {
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
