package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

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
 * <p>The caller is the ancestor's child above the call. It gave up if it ran beside the call for
 * more than a fiftieth of the call's time before it ended; otherwise it only sent the call. The
 * ancestor is busy if its last child to begin before the call's end began after the caller had
 * ended, and outlives the call. If the last of the calls that end within that child does so just
 * before the child's own end, the child may have collected the results: then the ancestor counts as
 * having waited for them.
 */
final class AbandonedCalls {

  /** Who only sends a call runs beside it for less than this part of its time. */
  private static final int SENDING_SHARE = 50;

  private final Spans spans;
  private final SpanTree tree;

  // The calls, and for each the span that the ancestor was busy with when it ended.
  private int[] calls = {};
  private int[] busyWith = {};
  private int count;

  AbandonedCalls(Spans spans, SpanTree tree) {
    this.spans = spans;
    this.tree = tree;
  }

  /** Looks at a call that has outlived its parent, and for which an ancestor may have waited. */
  void see(int call, int ancestor) {
    int caller = tree.above(call);
    while (caller >= 0 && tree.above(caller) != ancestor) {
      caller = tree.above(caller);
    }
    if (caller < 0 || !isGivenUp(call, caller)) {
      return;
    }
    int next = lastBegun(ancestor, spans.end(call));
    if (next >= 0
        && spans.start(next) >= spans.end(caller)
        && spans.end(next) > spans.end(call)
        && spans.kind(next) != Span.PRODUCER) {
      add(call, next);
    }
  }

  private boolean isGivenUp(int call, int caller) {
    long together = spans.end(caller) - Math.max(spans.start(caller), spans.start(call));
    return spans.isTimed(caller) && together > spans.nanos(call) / SENDING_SHARE;
  }

  /** The last child to begin before a moment, or a negative number. */
  private int lastBegun(int ancestor, long moment) {
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
    return from == 0 ? SpanTree.NONE : tree.child(ancestor, from - 1);
  }

  private void add(int call, int next) {
    if (count == calls.length) {
      int room = Math.max(16, 2 * count);
      calls = Arrays.copyOf(calls, room);
      busyWith = Arrays.copyOf(busyWith, room);
    }
    calls[count] = call;
    busyWith[count++] = next;
  }

  /** Replaces the waiters of abandoned calls by {@link WaitTree#NOBODY}. */
  void markIn(int[] waiters) {
    Map<Integer, Long> lastEnds = new HashMap<>();
    for (int i = 0; i < count; i++) {
      lastEnds.merge(busyWith[i], spans.end(calls[i]), Math::max);
    }
    for (int i = 0; i < count; i++) {
      int next = busyWith[i];
      long before = spans.end(next) - lastEnds.getOrDefault(next, 0L);
      if (before > Tolerance.nanos(spans.nanos(next))) {
        waiters[calls[i]] = WaitTree.NOBODY;
      }
    }
  }
}
