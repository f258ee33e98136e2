package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.HexIds;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Map;

/**
 * The spans in which calls ran whose parent is another one: the sender of their payload. Another
 * agent makes them for the requests that bring the payloads, below the sender.
 *
 * <pre>
 * rollout                    rollout
 *  ├ POST                     └ POST
 *  │  └ POST /call               └ POST /call
 *  └ generate                       └ generate, because it names POST /call
 * </pre>
 *
 * <p>As recorded, such a call lies beside the request that brought it, and only one of the two
 * could be on the critical path. So an analysis takes the span around as the parent. Takes no
 * memory while no span names one.
 */
public final class SpansAround implements Serializable {

  static final String AROUND = "roll.around";

  /** How many spans may lie between a call and its sender. */
  private static final int MOST_BETWEEN = 100;

  /** How far a call may reach beyond the span around it. */
  private static final long EDGE_NANOS = 1_000_000;

  private static final long NO_ID = 0;

  /** By span; the id of the span around. */
  private long[] ids = new long[0];

  /** By span; the {@link #outermost} one plus one, otherwise 0. */
  private int[] outermost = new int[0];

  void see(int span, Map<String, Object> attributes) {
    if (attributes.get(AROUND) instanceof String text) {
      if (span >= ids.length) {
        ids = Arrays.copyOf(ids, Math.max(1024, 2 * span));
      }
      ids[span] = id(text);
    }
  }

  private static long id(String text) {
    try {
      return HexIds.toLong(text);
    } catch (IllegalArgumentException e) {
      return NO_ID; // no agent wrote that
    }
  }

  /** Takes over, for rows that were copied, what {@link #nest} has found among others. */
  void take(SpansAround others, RowPlaces rows) {
    if (others.outermost.length == 0) {
      return;
    }
    outermost = new int[rows.size()];
    for (int i = 0; i < outermost.length; i++) {
      int row = rows.row(i);
      int known = row < others.outermost.length ? others.outermost[row] : 0;
      outermost[i] = known == 0 ? 0 : Math.max(0, rows.of(known - 1) + 1);
    }
  }

  /**
   * The last of the spans above a call that is still below its sender; the call itself, if the
   * sender is its parent here as well.
   */
  public int outermost(int span) {
    int at = span;
    // The sender's child may itself have been put into another one. Damaged files may hold rings.
    for (int i = 0; i < MOST_BETWEEN && at < outermost.length && outermost[at] != 0; i++) {
      at = outermost[at] - 1;
    }
    return at;
  }

  /**
   * Puts calls into the spans around them. The sender remains an ancestor.
   *
   * @param parents as recorded; changed
   */
  void nest(Spans spans, SpanIndex index, int[] parents) {
    int count = Math.min(ids.length, parents.length);
    outermost = new int[count];
    for (int span = 0; span < count; span++) {
      int around = ids[span] == NO_ID ? -1 : index.find(spans.trace(span), ids[span]);
      if (around >= 0 && ranInside(spans, span, around)) {
        outermost[span] = belowSender(spans, parents, span, around) + 1;
      }
    }
    for (int span = 0; span < count; span++) { // now that all ways up have been walked as recorded
      if (outermost[span] != 0) {
        parents[span] = index.find(spans.trace(span), ids[span]);
      }
    }
  }

  /**
   * One process, but not quite one clock: an SDK anchors each of the two traces' local roots anew.
   */
  private static boolean ranInside(Spans spans, int span, int around) {
    if (!spans.isTimed(around)) {
      // Its date cannot be true, and was removed. The answer must not change with that: parts of a
      // run count what is missing while dates are still there.
      return spans.isMisdated(around);
    }
    return spans.isTimed(span)
        && spans.start(around) <= spans.start(span) + EDGE_NANOS
        && spans.end(around) >= spans.end(span) - EDGE_NANOS;
  }

  /** The ancestor that has the call's own parent as its parent, -1 if there is none. */
  private static int belowSender(Spans spans, int[] parents, int span, int around) {
    long sender = spans.parentId(span);
    int at = sender == NO_ID ? -1 : around;
    for (int i = 0; i < MOST_BETWEEN && at >= 0 && at != span; i++) {
      if (spans.parentId(at) == sender) {
        return at;
      }
      at = parents[at];
    }
    return -1;
  }
}
