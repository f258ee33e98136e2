package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Calls that went on after their callers had given up on them, for instance after a timeout. When
 * such a call ends, the ancestor that still runs is busy with something else, and does not wait:
 *
 * <pre>
 * step     ├────────────────────────────────┤
 * ask        ├────┤                            its caller gives up
 * score       ├─────────────────────┤          the call goes on
 * compile          ├─────────┤
 * answer                      ├───────────┤    the step is here when the call ends
 * </pre>
 *
 * <p>Times alone cannot prove that, so each of these must be true of all calls of one name for
 * which the ancestor may have waited; otherwise it counts as having waited for them:
 *
 * <ul>
 *   <li>The caller was waiting: it began nothing after the call, and ran beside it for more than a
 *       fiftieth of the call's time. Who only sends calls ends sooner, or sends the next one. Or it
 *       tried again: after the call, it began only calls of the same name, one after the other. The
 *       last of them ended before the caller, and before each, the caller waited at least as long
 *       as that one took. Who sends calls to several workers sends the next one sooner.
 *   <li>The ancestor went on: from its child above the call (here the caller itself) until the call
 *       ended, its next children ran one after the other, and left less than a tenth of that time.
 *   <li>The last of these children outlives the call by more than the {@link Tolerance}; otherwise
 *       it may have collected the result.
 * </ul>
 *
 * <p>What such a call has begun itself is abandoned with it.
 */
final class AbandonedCalls {

  /** Who only sends a call runs beside it for less than this part of its time. */
  private static final int SENDING_SHARE = 50;

  /** How many children of an ancestor are looked at; more are no sequence of phases. */
  private static final int MOST_CHILDREN = 64;

  /** More calls are no attempts at one thing. */
  private static final int MOST_ATTEMPTS = 16;

  /** Calls of one name for which one ancestor may have waited. */
  private record Group(int ancestor, int name) {}

  private final Spans spans;
  private final SpanTree tree;

  /** Those for which no other condition than that of the group is open. */
  private final Map<Group, Set<Integer>> calls = new HashMap<>();

  AbandonedCalls(Spans spans, SpanTree tree) {
    this.spans = spans;
    this.tree = tree;
  }

  /** Looks at a call that has outlived its parent, and for which an ancestor may have waited. */
  void see(int call, int ancestor) {
    if (isAbandoned(call, ancestor)) {
      calls
          .computeIfAbsent(new Group(ancestor, spans.name(call)), group -> new HashSet<>())
          .add(call);
    }
  }

  /** Replaces the waiters of abandoned calls by {@link WaitTree#NOBODY}. */
  void markIn(int[] waiters) {
    if (calls.isEmpty()) {
      return;
    }
    int[] late =
        Rows.where(span -> waiters[span] >= 0 && waiters[span] != tree.above(span), tree.order());
    for (int span : late) {
      Group group = new Group(waiters[span], spans.name(span));
      Set<Integer> known = calls.get(group);
      if (known != null && !known.contains(span)) {
        calls.remove(group);
      }
    }
    Set<Integer> abandoned = new HashSet<>();
    calls.values().forEach(abandoned::addAll);
    int[] depths = tree.depths();
    int[] known = new int[depths.length];
    for (int span : late) {
      // It, or one above it but below its ancestor.
      int nearest = nearest(abandoned, span, known);
      if (nearest >= 0 && depths[nearest] > depths[waiters[span]]) {
        waiters[span] = WaitTree.NOBODY;
      }
    }
  }

  /**
   * The span or its nearest ancestor that is among these; a negative number for none.
   *
   * @param known for each span the answer and 2, or 0; so that no way up is gone twice
   */
  private int nearest(Set<Integer> these, int span, int[] known) {
    int end = span;
    while (end >= 0 && known[end] == 0 && !these.contains(end)) {
      end = tree.above(end);
    }
    int nearest = end < 0 ? -1 : known[end] != 0 ? known[end] - 2 : end;
    for (int at = span; at != end; at = tree.above(at)) {
      known[at] = nearest + 2;
    }
    return nearest;
  }

  private boolean isAbandoned(int call, int ancestor) {
    int caller = tree.above(call);
    return hasWaited(caller, call) && wentOn(ancestor, tree.childAbove(ancestor, caller), call);
  }

  private boolean hasWaited(int caller, int call) {
    long together = spans.end(caller) - Math.max(spans.start(caller), spans.start(call));
    return spans.isTimed(caller)
        && together > spans.nanos(call) / SENDING_SHARE
        && (lastChild(caller) == call || hasTriedAgain(caller, call));
  }

  private int lastChild(int span) {
    return tree.child(span, tree.childCount(span) - 1);
  }

  /** Whether a caller's children after a call are further attempts, of which the last came back. */
  private boolean hasTriedAgain(int caller, int call) {
    int last = lastChild(caller);
    long usualNanos = spans.nanos(last);
    boolean hasComeBack = spans.end(last) - spans.end(caller) <= Tolerance.nanos(usualNanos);
    if (!hasComeBack || !isAttempt(last, call)) {
      return false;
    }
    int attempt = last;
    for (int i = tree.childCount(caller) - 1; attempt != call && i > 0; i--) {
      int before = tree.child(caller, i - 1);
      boolean isNext =
          isAttempt(before, call)
              && spans.start(attempt) - spans.start(before) >= Math.max(usualNanos, 1);
      if (!isNext || tree.childCount(caller) - i > MOST_ATTEMPTS) {
        return false;
      }
      attempt = before;
    }
    return attempt == call;
  }

  private boolean isAttempt(int span, int call) {
    return spans.isTimed(span) && spans.name(span) == spans.name(call);
  }

  /** Whether an ancestor did one thing after the other from a child's end to a call's. */
  private boolean wentOn(int ancestor, int child, int call) {
    long from = spans.end(child);
    long to = spans.end(call);
    int first = firstFrom(ancestor, from);
    int end = firstFrom(ancestor, to);
    if (first >= end || end - first > MOST_CHILDREN) {
      return false;
    }
    long reached = from;
    long idle = 0;
    for (int i = first; i < end; i++) {
      int next = tree.child(ancestor, i);
      if (spans.start(next) < reached) {
        return false; // beside another
      }
      idle += spans.start(next) - reached;
      reached = spans.end(next);
    }
    long nanosOfLast = spans.nanos(tree.child(ancestor, end - 1));
    return idle <= Tolerance.nanos(to - from) && reached - to > Tolerance.nanos(nanosOfLast);
  }

  /** The number of the first child that begins at a moment or later. */
  private int firstFrom(int ancestor, long moment) {
    int from = 0;
    int to = tree.childCount(ancestor);
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (spans.start(tree.child(ancestor, middle)) < moment) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
