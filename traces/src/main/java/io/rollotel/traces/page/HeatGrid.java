package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * The heat map's rows, one for every worker, and its columns, one for every step or for several. It
 * identifies steps by their ids, because a part of the run's traces has its own span numbers.
 */
final class HeatGrid implements Serializable {

  private static final int MAX_ROWS = 20_000;

  private final PageNumbers numbers;
  private final int stepsPerColumn;
  private final int rows;
  private final int columns;

  /** The start of each step, its span's id, and the halves of its trace's id; by start. */
  private final long[] starts;

  private final long[] ids;
  private final long[] traceHighs;
  private final long[] traceLows;

  HeatGrid(ReportContents contents, PageNumbers numbers, PageLimits limits) {
    List<Steps.Step> steps = steps(contents);
    Spans spans = contents.totals().spans();
    this.numbers = numbers;
    this.rows = Math.min(contents.workers().size(), MAX_ROWS);
    this.stepsPerColumn = stepsPerColumn(steps.size(), rows, limits);
    this.columns = (steps.size() + stepsPerColumn - 1) / stepsPerColumn;
    this.starts = new long[steps.size()];
    this.ids = new long[steps.size()];
    this.traceHighs = new long[steps.size()];
    this.traceLows = new long[steps.size()];
    for (int i = 0; i < steps.size(); i++) {
      int span = steps.get(i).span();
      String traceId = spans.traceIdOf(span);
      starts[i] = spans.start(span);
      ids[i] = spans.id(span);
      traceHighs[i] = HexIds.toLong(traceId, 0);
      traceLows[i] = HexIds.toLong(traceId, 16);
    }
  }

  /** The steps of the columns; empty if the run has no steps. */
  static List<Steps.Step> steps(ReportContents contents) {
    return contents.steps().areTraces() ? List.of() : contents.steps().all();
  }

  /** A column is one bar of the chart of steps, or several if there are many workers. */
  private static int stepsPerColumn(int steps, int rows, PageLimits limits) {
    int perBar = PageSteps.perBar(steps, limits);
    int bars = (steps + perBar - 1) / perBar;
    long together = ((long) rows * bars + limits.cells() - 1) / limits.cells();
    return perBar * (int) Math.max(1, Math.min(bars, together));
  }

  int rows() {
    return rows;
  }

  int columns() {
    return columns;
  }

  int cells() {
    return rows * columns;
  }

  int stepsPerColumn() {
    return stepsPerColumn;
  }

  /** The column of each span, among some of the run's traces, that is a step; -1 for others. */
  int[] columnsOfSteps(RunAnalysis run) {
    int[] columnOfStep = new int[run.spans().size()];
    Arrays.fill(columnOfStep, -1);
    if (columns > 0) {
      for (Steps.Step step : run.steps().all()) {
        int place = place(run.spans(), step.span());
        columnOfStep[step.span()] = place < 0 ? -1 : place / stepsPerColumn;
      }
    }
    return columnOfStep;
  }

  private int place(Spans of, int step) {
    long start = of.start(step);
    int found = Arrays.binarySearch(starts, start);
    if (found < 0) {
      return -1;
    }
    while (found > 0 && starts[found - 1] == start) {
      found--;
    }
    String traceId = of.traceIdOf(step);
    long high = HexIds.toLong(traceId, 0);
    long low = HexIds.toLong(traceId, 16);
    for (int i = found; i < starts.length && starts[i] == start; i++) {
      if (ids[i] == of.id(step) && traceHighs[i] == high && traceLows[i] == low) {
        return i;
      }
    }
    return -1;
  }

  /** The cell of a column and a process, -1 if there is none. */
  int cell(int column, int process) {
    int row = column < 0 ? -1 : numbers.worker(process);
    return row < 0 || row >= rows ? -1 : row * columns + column;
  }
}
