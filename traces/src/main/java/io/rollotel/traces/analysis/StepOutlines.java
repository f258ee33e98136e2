package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The facts about steps that {@link RunPath} needs: the steps, the spans that each waited for, and
 * the senders in between. Their descendants do not matter to the path. Outlines of parts of a run
 * add up to those of the whole.
 */
final class StepOutlines implements Serializable {

  /**
   * In a run with more, each step keeps its own path. They take about 90 bytes each, twice that
   * while the columns grow.
   */
  static final int MOST_ROWS = 2_000_000;

  private final int mostRows;

  /** Copies. */
  private Spans spans;

  // By row.
  private int[] above = new int[64];
  private int[] waiters = new int[64];
  private boolean[] areSteps = new boolean[64];

  private boolean areTooMany;

  /**
   * Of no steps.
   *
   * @param numbers spans that have the numbers of all names, processes and runs
   */
  StepOutlines(Spans numbers, int mostRows) {
    this.spans = Spans.withNumbersOf(numbers);
    this.mostRows = mostRows;
  }

  /** Adds the steps of traces that are in memory. */
  void add(Spans from, RunTraces in) {
    RowCopies copies = new RowCopies(from, spans);
    for (int step : in.steps()) {
      if (from.nanos(step) > 0 && hasRoom()) {
        addStep(copies, in, step);
      }
    }
  }

  private void addStep(RowCopies copies, RunTraces in, int step) {
    Map<Integer, Integer> rows = new LinkedHashMap<>(); // the copy of each
    rows.put(step, copies.of(step));
    for (int child : in.waits.children(step)) {
      for (int at = child; at >= 0 && at != step; at = in.tree.above(at)) {
        if (rows.putIfAbsent(at, copies.of(at)) != null) {
          break;
        }
      }
    }
    rows.forEach(
        (row, copy) ->
            put(
                copy,
                row == step,
                rows.getOrDefault(in.tree.above(row), SpanTree.NONE),
                rows.getOrDefault(in.waits.above(row), WaitTree.NOBODY)));
  }

  private void put(int row, boolean isStep, int parent, int waiter) {
    if (row >= above.length) {
      int length = Math.max(2 * above.length, row + 1);
      above = Arrays.copyOf(above, length);
      waiters = Arrays.copyOf(waiters, length);
      areSteps = Arrays.copyOf(areSteps, length);
    }
    above[row] = parent;
    waiters[row] = waiter;
    areSteps[row] = isStep;
  }

  /** Adds other steps of the run. */
  void add(StepOutlines part) {
    areTooMany |= part.areTooMany;
    RowCopies copies = new RowCopies(part.spans, spans);
    for (int row = 0; row < part.spans.size() && hasRoom(); row++) {
      put(
          copies.of(row),
          part.areSteps[row],
          copies.of(part.above[row]),
          copies.of(part.waiters[row]));
    }
  }

  private boolean hasRoom() {
    if (!areTooMany && spans.size() > mostRows) {
      areTooMany = true;
    }
    if (areTooMany && spans.size() > 0) {
      spans = Spans.withNumbersOf(spans);
      above = waiters = new int[0];
      areSteps = new boolean[0];
    }
    return !areTooMany;
  }

  /** How the path of the run goes through all steps; null if there are too many for that. */
  @Nullable RunVisits visits() {
    if (!hasRoom()) {
      return null;
    }
    int size = spans.size();
    SpanTree tree = new SpanTree(spans).withParents(Arrays.copyOf(above, size));
    SpanTree waits = tree.withParents(Arrays.copyOf(waiters, size));
    int[] steps = IntStream.range(0, size).filter(row -> areSteps[row]).toArray();
    IndexSort.sort(steps, (a, b) -> spans.compare(a, b) < 0);
    RunVisits found = new RunVisits();
    new RunPath(spans, waits, new CriticalPath(spans, tree, waits), steps)
        .follow(
            (span, isQueueWait, from, to) -> {
              if (span == CriticalPath.NO_SPAN) {
                found.addBetween(to - from);
              }
            },
            (step, isWithin, moment, until) -> found.add(spans, step, isWithin, moment, until));
    return found;
  }
}
