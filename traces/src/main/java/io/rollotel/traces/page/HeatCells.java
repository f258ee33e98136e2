package io.rollotel.traces.page;

import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of the heat map's cells that come from single spans, for all spans of a run or for a
 * part of its traces.
 */
final class HeatCells implements Serializable {

  /** The most cells of all names of a part together. */
  private static final int MOST = 2_000_000;

  /** How long the calls that a worker executed in a step had waited before they started. */
  private final long[] waits;

  /**
   * How long the others waited for a worker in the fan-outs of a step in which it was last. Here
   * and above in nanoseconds.
   */
  private final long[] costs;

  /** The longest span of each cell by name, if these cells are for a part. */
  private final Map<Integer, long[]> longest = new HashMap<>();

  /**
   * If these cells cover the whole run: then one look at all its spans for each name is cheaper.
   */
  private final transient @Nullable Placed whole;

  /** Spans in cells. */
  private static final class Placed {
    private final HeatGrid grid;
    private final RunAnalysis run;

    /** The column of each span that is a step, -1 for others. */
    private final int[] columnOfStep;

    Placed(HeatGrid grid, RunAnalysis run) {
      this.grid = grid;
      this.run = run;
      this.columnOfStep = grid.columnsOfSteps(run);
    }

    /** The cell of the step of one span and the worker of another, -1 if there is none. */
    int cell(int ofStep, int ofWorker) {
      int step = run.stepOf(ofStep);
      return grid.cell(step < 0 ? -1 : columnOfStep[step], run.spans().process(ofWorker));
    }

    void see(int span, long[] nanos) {
      Spans spans = run.spans();
      if (spans.isTimed(span) && !run.isDispatch(span)) {
        int cell = cell(span, span);
        if (cell >= 0) {
          nanos[cell] = Math.max(nanos[cell], Math.max(1, spans.nanos(span)));
        }
      }
    }
  }

  private HeatCells(int cells, @Nullable Placed whole) {
    this.waits = new long[cells];
    this.costs = new long[cells];
    this.whole = whole;
  }

  private void see(Placed placed) {
    RunAnalysis run = placed.run;
    for (int span : run.members()) {
      int cell = placed.cell(span, span);
      long queue = cell < 0 || run.isDispatch(span) ? Spans.NO_QUEUE : run.queueNanos(span);
      if (queue != Spans.NO_QUEUE && queue > 0) {
        waits[cell] += queue;
      }
    }
    for (FanOuts.FanOut fanOut : run.singleFanOuts()) {
      int cell = placed.cell(fanOut.parent(), fanOut.lastSpan());
      if (cell >= 0) {
        costs[cell] += fanOut.costNanos();
      }
    }
  }

  /** The cells of no span. */
  static HeatCells none(HeatGrid grid) {
    return new HeatCells(grid.cells(), null);
  }

  static HeatCells ofWhole(HeatGrid grid, RunAnalysis run) {
    Placed placed = new Placed(grid, run);
    HeatCells cells = new HeatCells(grid.cells(), placed);
    cells.see(placed);
    return cells;
  }

  /**
   * The cells of a part of the run's traces.
   *
   * @param names those with the most time first; as many as there is room for are used
   */
  static HeatCells ofPart(HeatGrid grid, RunAnalysis run, List<Integer> names) {
    HeatCells cells = none(grid);
    Placed placed = new Placed(grid, run);
    cells.see(placed);
    int room = MOST / Math.max(1, grid.cells());
    for (int name : names.subList(0, Math.min(names.size(), room))) {
      cells.longest.put(name, new long[grid.cells()]);
    }
    for (int span : run.members()) {
      long[] nanos = cells.longest.get(run.spans().name(span));
      if (nanos != null) {
        placed.see(span, nanos);
      }
    }
    return cells;
  }

  /** Adds those of other traces. */
  void add(HeatCells other) {
    for (int i = 0; i < waits.length; i++) {
      waits[i] += other.waits[i];
      costs[i] += other.costs[i];
    }
    other.longest.forEach(
        (name, more) -> {
          long[] nanos = longest.computeIfAbsent(name, none -> new long[more.length]);
          for (int i = 0; i < more.length; i++) {
            nanos[i] = Math.max(nanos[i], more[i]);
          }
        });
  }

  long[] waits() {
    return waits;
  }

  long[] costs() {
    return costs;
  }

  /** The longest span of a name in each cell; null if there was no room for it. */
  long @Nullable [] longest(int name) {
    Placed placed = whole;
    if (placed == null) {
      return longest.get(name);
    }
    long[] nanos = new long[waits.length];
    for (int span : placed.run.members()) {
      if (placed.run.spans().name(span) == name) {
        placed.see(span, nanos);
      }
    }
    return nanos;
  }
}
