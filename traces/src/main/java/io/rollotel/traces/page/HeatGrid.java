package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * The heat map's rows, one for every worker, and its columns, one for every step or for several.
 */
final class HeatGrid implements Serializable {

  private static final int MAX_ROWS = 20_000;

  private final Spans spans;
  private final PageNumbers numbers;
  private final List<Steps.Step> steps;
  private final int stepsPerColumn;
  private final int rows;
  private final int columns;

  HeatGrid(ReportContents contents, PageNumbers numbers, PageLimits limits) {
    this.spans = contents.totals().spans();
    this.numbers = numbers;
    this.steps = contents.steps().areTraces() ? List.of() : contents.steps().all();
    this.rows = Math.min(contents.workers().size(), MAX_ROWS);
    this.stepsPerColumn = stepsPerColumn(limits);
    this.columns = (steps.size() + stepsPerColumn - 1) / stepsPerColumn;
  }

  /** A column is one bar of the chart of steps, or several where there are many workers. */
  private int stepsPerColumn(PageLimits limits) {
    int perBar = PageSteps.perBar(steps.size(), limits);
    int bars = (steps.size() + perBar - 1) / perBar;
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

  List<Steps.Step> steps() {
    return steps;
  }

  List<Steps.Step> stepsOf(int column) {
    int from = column * stepsPerColumn;
    return steps.subList(from, Math.min(steps.size(), from + stepsPerColumn));
  }

  /** For each span of some of the run's traces that is a step its column, -1 for others. */
  int[] columnsOfSteps(RunAnalysis run) {
    int[] columnOfStep = new int[run.spans().size()];
    Arrays.fill(columnOfStep, -1);
    if (run.spans() == spans) {
      for (int i = 0; i < steps.size(); i++) {
        columnOfStep[steps.get(i).span()] = i / stepsPerColumn;
      }
    } else if (!steps.isEmpty()) {
      for (Steps.Step step : run.steps().all()) {
        int place = place(run.spans(), step.span());
        columnOfStep[step.span()] = place < 0 ? -1 : place / stepsPerColumn;
      }
    }
    return columnOfStep;
  }

  /** Finds a step among all, which come by their start. */
  private int place(Spans of, int step) {
    long start = of.start(step);
    int low = 0;
    int high = steps.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (spans.start(steps.get(middle).span()) < start) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int i = low; i < steps.size() && spans.start(steps.get(i).span()) == start; i++) {
      int row = steps.get(i).span();
      if (spans.id(row) == of.id(step) && spans.traceIdOf(row).equals(of.traceIdOf(step))) {
        return i;
      }
    }
    return -1;
  }

  /** The cell of a column and a process, -1 where there is none. */
  int cell(int column, int process) {
    int row = column < 0 ? -1 : numbers.worker(process);
    return row < 0 || row >= rows ? -1 : row * columns + column;
  }
}
