package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The chain of work without which a span would have ended earlier, followed backwards from its end.
 *
 * <p>At each moment, the span waited for the span that ended last before it. Of the spans that this
 * one waits for ({@link WaitTree}) and that have ended by then, that is the one with the latest
 * end; if there are several, the one that began first. Between that end and the moment, the span
 * itself worked; inside the other span, the same rule applies. If it was a call, its wait in the
 * queue comes next. Then the path continues at its dispatch, in the span that sent it. If the call
 * waited until its process had ended another one, the path continues in that one instead. The
 * segments of a path cover its span once, without a gap.
 *
 * <p>A span that extends slightly beyond the moment, by a tenth of its time or less, counts as
 * ended, since ends are recorded slightly late and clocks differ.
 */
public final class CriticalPath {

  /** The span of a segment in which no span of a trace ran, or no step of a run. */
  public static final int NO_SPAN = -1;

  /** Takes a path's segments, the last first. */
  public interface Sink {
    /**
     * A segment that is longer than 0.
     *
     * @param isQueueWait whether the span had been sent but did not run yet; otherwise it worked
     */
    void segment(int span, boolean isQueueWait, long fromEpochNanos, long toEpochNanos);

    /** A call had been sent, but its process still ran another one, on which the path continues. */
    default void waitedBehind(int span, long nanos) {}
  }

  private static final class Frame {
    final int span;
    final boolean isQueueWait;
    final long from;
    final long to;

    /** The moment at which spans that the frame's span waited for are cut off. */
    final long cut;

    final int[] byEnd;
    int next;
    long moment;

    /** The span on which the path continues whatever has ended last; {@link #NO_SPAN} for none. */
    int occupant = NO_SPAN;

    /** The first that may have ended before the next call on the path began. */
    int nextOccupant;

    Frame(int span, boolean isQueueWait, long from, long to, long cut, int[] byEnd) {
      this.span = span;
      this.isQueueWait = isQueueWait;
      this.from = from;
      this.to = to;
      this.cut = cut;
      this.byEnd = byEnd;
      this.moment = to;
    }
  }

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;
  private final SentTimes sentTimes;

  /**
   * Paths of a run.
   *
   * @param waits as built by {@link WaitTree} from the tree
   */
  CriticalPath(Spans spans, SpanTree tree, SpanTree waits) {
    this.spans = spans;
    this.tree = tree;
    this.waits = waits;
    this.sentTimes = new SentTimes(spans, tree, waits);
  }

  /** The path of one span. */
  public void follow(int span, Sink sink) {
    walk(whole(span, spans.start(span), spans.end(span), waits.children(span)), sink);
  }

  /**
   * The path of a trace: that of its root. If it has several roots or none, the path is that of an
   * imaginary root from the first start to the last end, whose own segments have {@link #NO_SPAN}.
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
      walk(whole(NO_SPAN, from, to, tops), sink);
    }
  }

  /**
   * The path of a span from a moment.
   *
   * @param isWithin whether the span still runs at the moment: then it has not waited for
   *     concurrent spans. Otherwise it has ended by then
   */
  void followFrom(int span, boolean isWithin, long moment, Sink sink) {
    long cut = isWithin ? Long.MAX_VALUE : moment;
    walk(frame(span, spans.start(span), moment, cut, waits.children(span)), sink);
  }

  private Frame whole(int span, long from, long to, int[] waitedFor) {
    return frame(span, from, to, to, waitedFor);
  }

  private Frame frame(int span, long from, long to, long cut, int[] waitedFor) {
    IndexSort.sort(
        waitedFor,
        (a, b) -> {
          long endA = Math.min(spans.end(a), cut);
          long endB = Math.min(spans.end(b), cut);
          return endA != endB ? endA > endB : tree.isBefore(a, b);
        });
    return new Frame(span, false, from, to, cut, waitedFor);
  }

  private void walk(Frame top, Sink sink) {
    Deque<Frame> stack = new ArrayDeque<>();
    stack.push(top);
    while (!stack.isEmpty()) {
      Frame frame = stack.getFirst();
      if (frame.isQueueWait) {
        sink.segment(frame.span, true, frame.from, frame.to);
        stack.pop();
        continue;
      }
      int last = nextToEnd(frame);
      long reached = last == NO_SPAN ? frame.from : Math.min(spans.end(last), frame.moment);
      if (reached < frame.moment) {
        sink.segment(frame.span, false, reached, frame.moment);
      }
      if (last == NO_SPAN) {
        stack.pop();
      } else {
        long start = Math.max(spans.start(last), frame.from);
        long sent = Math.max(Math.min(sentTimes.of(last), start), frame.from);
        long freed = sent;
        frame.occupant = occupant(frame, last, sent, start);
        if (frame.occupant == NO_SPAN) {
          frame.moment = sent;
          pushSenders(stack, frame, last, sent);
        } else {
          freed = Math.min(spans.end(frame.occupant), frame.cut);
          frame.moment = freed;
          sink.waitedBehind(last, freed - Math.max(sent, spans.start(frame.occupant)));
        }
        if (freed < start) {
          stack.push(new Frame(last, true, freed, start, start, new int[0]));
        }
        stack.push(whole(last, start, reached, waits.children(last)));
      }
    }
  }

  /** The span that ended last by the moment; spans that ended later were not waited for. */
  private int nextToEnd(Frame frame) {
    if (frame.occupant != NO_SPAN) {
      return frame.occupant;
    }
    while (frame.next < frame.byEnd.length) {
      int span = frame.byEnd[frame.next++];
      long start = Math.max(spans.start(span), frame.from);
      long end = Math.min(spans.end(span), frame.cut);
      if (start < Math.min(end, frame.moment)
          && end - frame.moment <= Tolerance.nanos(end - start)) {
        return span;
      }
    }
    return NO_SPAN;
  }

  /**
   * What the process of a call ran until it began the call; {@link #NO_SPAN} if nothing ended just
   * before. It must be among the spans that are waited for.
   */
  private int occupant(Frame frame, int call, long sent, long start) {
    long earliest = Math.max(sent + 1, start - Tolerance.nanos(start - sent));
    // The calls of a path begin one before the other, so later ends never count again.
    int i = Math.max(frame.next, frame.nextOccupant);
    while (i < frame.byEnd.length && Math.min(spans.end(frame.byEnd[i]), frame.cut) > start) {
      i++;
    }
    frame.nextOccupant = i;
    for (; i < frame.byEnd.length; i++) {
      int span = frame.byEnd[i];
      long end = Math.min(spans.end(span), frame.cut);
      if (end < earliest) {
        return NO_SPAN;
      }
      if (spans.process(span) == spans.process(call)
          && Math.max(spans.start(span), frame.from) < end) {
        return span;
      }
    }
    return NO_SPAN;
  }

  /**
   * If a span was sent by a descendant of the span that waited for it, the path continues in that
   * descendant, at the moment of sending.
   */
  private void pushSenders(Deque<Frame> stack, Frame frame, int span, long sent) {
    int parent = tree.above(span);
    if (parent < 0 || parent == frame.span || waits.above(span) != frame.span) {
      return;
    }
    Frame above = frame;
    for (int sender = frame.span; sender != parent; ) {
      sender = tree.childAbove(sender, parent);
      if (spans.start(sender) >= sent || spans.end(sender) < sent) {
        return; // it did not run at that moment
      }
      long from = Math.max(spans.start(sender), above.from);
      above.moment = from;
      // Not cut off: spans that still ran when the span was sent had not been waited for by then.
      above = frame(sender, from, sent, Long.MAX_VALUE, waits.children(sender));
      stack.push(above);
    }
  }
}
