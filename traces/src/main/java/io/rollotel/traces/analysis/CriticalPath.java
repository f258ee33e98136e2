package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The chain of work without which a span would have ended earlier, followed backwards from its end.
 *
 * <p>At each moment what ended last before it is what was waited for: of the children that have
 * ended by then the one with the latest end, of several the one that began first. Between its end
 * and the moment the span itself worked; inside it the same rule holds; then the moment is its
 * start. Children count within their parent's time only. The segments of a path cover its span
 * once, without a gap.
 *
 * <p>A child that reaches beyond the moment by a tenth of its time or less has ended by then, too:
 * ends are recorded a little late and clocks differ, and without this the whole of a phase would go
 * to its parent because the next one began a microsecond early.
 */
public final class CriticalPath {

  /** A segment's span where none of a trace's spans ran. */
  public static final int NO_SPAN = -1;

  /** Takes a path's segments, the last first. */
  public interface Sink {
    /** A segment that is longer than 0. */
    void segment(int span, long fromEpochNanos, long toEpochNanos);
  }

  private static final class Frame {
    final int span;
    final long from;
    final long to;
    final int[] byEnd;
    int next;
    long moment;

    Frame(int span, long from, long to, int[] byEnd) {
      this.span = span;
      this.from = from;
      this.to = to;
      this.byEnd = byEnd;
      this.moment = to;
    }
  }

  private final Spans spans;
  private final SpanTree tree;

  public CriticalPath(Spans spans, SpanTree tree) {
    this.spans = spans;
    this.tree = tree;
  }

  /** The path of one span. */
  public void follow(int span, Sink sink) {
    walk(frame(span, spans.start(span), spans.end(span), tree.children(span)), sink);
  }

  /**
   * The path of a trace: that of its root; where it has several, or none, as if there were one from
   * the first start to the last end, whose own segments have {@link #NO_SPAN}.
   */
  public void followTrace(int trace, Sink sink) {
    int[] tops = tree.tops(trace);
    if (tops.length == 1) {
      follow(tops[0], sink);
      return;
    }
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    for (int top : tops) {
      if (spans.isTimed(top)) {
        from = Math.min(from, spans.start(top));
        to = Math.max(to, spans.end(top));
      }
    }
    if (from < to) {
      walk(frame(NO_SPAN, from, to, tops), sink);
    }
  }

  private Frame frame(int span, long from, long to, int[] children) {
    IndexSort.sort(
        children,
        (a, b) -> {
          long endA = Math.min(spans.end(a), to);
          long endB = Math.min(spans.end(b), to);
          return endA != endB ? endA > endB : tree.isBefore(a, b);
        });
    return new Frame(span, from, to, children);
  }

  private void walk(Frame top, Sink sink) {
    Deque<Frame> stack = new ArrayDeque<>();
    stack.push(top);
    while (!stack.isEmpty()) {
      Frame frame = stack.getFirst();
      int child = nextChild(frame);
      long reached = child == NO_SPAN ? frame.from : Math.min(spans.end(child), frame.moment);
      if (reached < frame.moment) {
        sink.segment(frame.span, reached, frame.moment);
      }
      if (child == NO_SPAN) {
        stack.pop();
      } else {
        frame.moment = Math.max(spans.start(child), frame.from);
        stack.push(frame(child, frame.moment, reached, tree.children(child)));
      }
    }
  }

  /** The one that ended last by the moment; those that ended later were not waited for. */
  private int nextChild(Frame frame) {
    while (frame.next < frame.byEnd.length) {
      int child = frame.byEnd[frame.next++];
      long start = Math.max(spans.start(child), frame.from);
      long end = Math.min(spans.end(child), frame.to);
      if (start < Math.min(end, frame.moment) && end - frame.moment <= (end - start) / 10) {
        return child;
      }
    }
    return NO_SPAN;
  }
}
