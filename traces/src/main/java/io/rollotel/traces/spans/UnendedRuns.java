package io.rollotel.traces.spans;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The times of agents' runs that nobody ended. The end of their JVM closed their spans, perhaps
 * long after the last thing they did, so they last until the last end of the spans below them.
 */
final class UnendedRuns {

  /** Deeper spans do not extend a run; damaged files may contain cycles. */
  private static final int MOST_LEVELS = 1_000;

  private final Spans spans;
  private final Map<Integer, Long> lastEnds = new HashMap<>();
  private final BitSet traces = new BitSet();

  private UnendedRuns(Spans spans) {
    this.spans = spans;
    for (RunFacts.OfRun run : spans.runFacts().runs()) {
      if (isUnended(spans, run) && spans.isTimed(run.span())) {
        lastEnds.put(run.span(), spans.start(run.span()));
        traces.set(spans.trace(run.span()));
      }
    }
  }

  /** Whether the span of a run neither completed nor failed. */
  static boolean isUnended(Spans spans, RunFacts.OfRun run) {
    return !Boolean.TRUE.equals(run.isCompleted()) && !spans.isError(run.span());
  }

  /** Shortens all of them; call it when the spans below them have their final times. */
  static void shorten(Spans spans) {
    UnendedRuns runs = new UnendedRuns(spans);
    if (!runs.lastEnds.isEmpty()) {
      runs.shorten();
    }
  }

  private void shorten() {
    int[] above = SpanTree.rowsAbove(spans);
    for (int row = 0; row < above.length; row++) {
      // A run below another one, of which nobody knows the end either, counts with what it did.
      boolean isKnown = spans.isTimed(row) && !lastEnds.containsKey(row);
      if (isKnown && traces.get(spans.trace(row))) {
        extend(above, row);
      }
    }
    lastEnds.forEach(spans::shorten);
  }

  private void extend(int[] above, int row) {
    int at = above[row];
    for (int i = 0; at >= 0 && i < MOST_LEVELS; i++) {
      lastEnds.computeIfPresent(at, (run, end) -> Math.max(end, spans.end(row)));
      at = above[at];
    }
  }
}
