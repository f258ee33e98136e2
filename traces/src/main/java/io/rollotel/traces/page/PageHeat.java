package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What each worker did in each step, for the page's heat map: a row for every worker, a column for
 * every step or for several, and for each metric the cells as one packed column, row by row.
 *
 * <p>The metrics are of all spans, also of those that the timeline draws as one.
 */
final class PageHeat {

  private static final int MAX_ROWS = 20_000;

  private static final int LABEL_TEXT = 40;

  /** The longest value of a metric has at least so many units: a digit more than anybody reads. */
  private static final long FINE_UNITS = 10_000;

  /** So many bytes a cell have durations by name where the page cannot compute them itself. */
  private static final int NAME_BYTES = 4;

  /** Each takes a look at all spans. */
  private static final int NAMES = 200;

  private final ReportContents contents;
  private final RunAnalysis run;
  private final Spans spans;
  private final PageSpans placed;
  private final PageNumbers numbers;
  private final PageLimits limits;
  private final JsonRows json;
  private final List<Steps.Step> steps;
  private final int stepsPerColumn;
  private final int rows;
  private final int columns;

  /** For each span that is a step its column, -1 for others. */
  private final int[] columnOfStep;

  PageHeat(
      ReportContents contents,
      PageSpans placed,
      PageNumbers numbers,
      PageLimits limits,
      JsonRows json) {
    this.contents = contents;
    this.run = contents.run();
    this.spans = run.spans();
    this.placed = placed;
    this.numbers = numbers;
    this.limits = limits;
    this.json = json;
    this.steps = contents.steps().areTraces() ? List.of() : contents.steps().all();
    this.rows = Math.min(contents.workers().size(), MAX_ROWS);
    this.stepsPerColumn = stepsPerColumn();
    this.columns = (steps.size() + stepsPerColumn - 1) / stepsPerColumn;
    this.columnOfStep = new int[spans.size()];
    Arrays.fill(columnOfStep, -1);
    for (int i = 0; i < steps.size(); i++) {
      columnOfStep[steps.get(i).span()] = i / stepsPerColumn;
    }
  }

  /** A column is one bar of the chart of steps, or several where there are many workers. */
  private int stepsPerColumn() {
    int perBar = PageSteps.perBar(steps.size(), limits);
    int bars = (steps.size() + perBar - 1) / perBar;
    long together = ((long) rows * bars + limits.cells() - 1) / limits.cells();
    return perBar * (int) Math.max(1, Math.min(bars, together));
  }

  /** Writes nothing where there are no steps. */
  void write() {
    if (columns == 0 || rows == 0) {
      return;
    }
    json.object(
        "heat",
        () -> {
          json.put("together", stepsPerColumn)
              .put("rows", rows)
              .put("rowsLeftOut", contents.workers().size() - rows)
              .rows("columns", IntStream.range(0, columns).boxed().toList(), this::column)
              .put("further", further());
          times();
          queues();
          costs();
          if (!placed.isEverySpan()) {
            names();
          }
        });
  }

  private void column(int column) {
    List<Steps.Step> together = stepsOf(column);
    Steps.Step longest = together.get(0);
    long end = 0;
    for (Steps.Step step : together) {
      longest = step.wallNanos() > longest.wallNanos() ? step : longest;
      end = Math.max(end, spans.end(step.span()));
    }
    long start = spans.start(together.get(0).span());
    json.put("first", PageTags.cut(together.get(0).label(), LABEL_TEXT))
        .put("last", PageTags.cut(together.get(together.size() - 1).label(), LABEL_TEXT))
        .put("steps", together.size())
        .put("item", numbers.item(longest.span()))
        .put("start", start - contents.header().startEpochNanos())
        .put("end", end - contents.header().startEpochNanos());
  }

  private List<Steps.Step> stepsOf(int column) {
    int from = column * stepsPerColumn;
    return steps.subList(from, Math.min(steps.size(), from + stepsPerColumn));
  }

  /** Service, instance and rank of the workers that the page does not list. */
  private String further() {
    PageBytes lines = new PageBytes();
    for (int row = limits.workers(); row < rows; row++) {
      TracedProcess process = contents.workers().get(row).worker().process();
      for (String text : List.of(process.serviceName(), process.instanceId(), process.rank())) {
        lines.addBytes(PageTags.cut(text, LABEL_TEXT).replaceAll("[\t\n]", " ").getBytes(UTF_8));
        lines.addByte('\t');
      }
      lines.addByte('\n');
    }
    return lines.size() == 0 ? "" : lines.base64();
  }

  /** The time of the steps in which a worker took part, and for how long of it it was busy. */
  private void times() {
    long[] parts = new long[rows * columns];
    long[] busy = new long[rows * columns];
    for (int row = 0; row < rows; row++) {
      Workers.Worker worker = contents.workers().get(row).worker();
      for (int i = 0; i < steps.size() && !worker.isDriver(); i++) {
        long from = spans.start(steps.get(i).span());
        long to = spans.end(steps.get(i).span());
        if (run.workers().isAlive(worker, from, to)) {
          int cell = row * columns + i / stepsPerColumn;
          parts[cell] += to - from;
          busy[cell] += run.workers().busyNanos(worker, from, to);
        }
      }
    }
    json.object("parts", () -> cells(parts)).object("busy", () -> cells(busy));
  }

  /** How long the calls of a step that a worker executed had waited before their start. */
  private void queues() {
    long[] waits = new long[rows * columns];
    for (int span : run.members()) {
      int cell = cell(span, span);
      long queue = cell < 0 || run.isDispatch(span) ? Spans.NO_QUEUE : run.queueNanos(span);
      if (queue != Spans.NO_QUEUE && queue > 0) {
        waits[cell] += queue;
      }
    }
    json.object("queue", () -> cells(waits));
  }

  /** What the others waited for a worker, in the fan-outs of a step in which it was the last. */
  private void costs() {
    long[] costs = new long[rows * columns];
    for (FanOuts.FanOut fanOut : run.singleFanOuts()) {
      int cell = cell(fanOut.parent(), fanOut.lastSpan());
      if (cell >= 0) {
        costs[cell] += fanOut.costNanos();
      }
    }
    json.object("cost", () -> cells(costs));
  }

  /** The longest span of a name in each cell: names with the most time, as far as there is room. */
  private void names() {
    int[] left = {NAME_BYTES * limits.cells()};
    List<ReportContents.NameRow> listed =
        contents.names().subList(0, Math.min(contents.names().size(), NAMES));
    json.array(
        "names",
        () -> {
          for (ReportContents.NameRow name : listed) {
            PageBytes bytes = new PageBytes();
            long unit = pack(longest(name.name().number()), bytes);
            String packed = bytes.base64();
            left[0] -= packed.length();
            if (left[0] < 0) {
              return;
            }
            json.objectElement(
                () ->
                    json.put("name", numbers.name(name.name().number()))
                        .put("unit", unit)
                        .put("cells", packed));
          }
        });
  }

  private long[] longest(int name) {
    long[] nanos = new long[rows * columns];
    for (int span : run.members()) {
      if (spans.name(span) == name && spans.isTimed(span) && !run.isDispatch(span)) {
        int cell = cell(span, span);
        if (cell >= 0) {
          nanos[cell] = Math.max(nanos[cell], Math.max(1, spans.nanos(span)));
        }
      }
    }
    return nanos;
  }

  /** The cell of the step of one span and the worker of another, -1 where there is none. */
  private int cell(int ofStep, int ofWorker) {
    int step = run.stepOf(ofStep);
    int column = step < 0 ? -1 : columnOfStep[step];
    int row = column < 0 ? -1 : numbers.worker(spans.process(ofWorker));
    return row < 0 || row >= rows ? -1 : row * columns + column;
  }

  private void cells(long[] nanos) {
    PageBytes bytes = new PageBytes();
    long unit = pack(nanos, bytes);
    json.put("unit", unit).put("cells", bytes.base64());
  }

  /** Packs cells in units of a power of ten; what is not zero does not become zero. */
  private static long pack(long[] nanos, PageBytes to) {
    long most = Arrays.stream(nanos).max().orElse(0);
    long unit = 1;
    while (most / (10 * unit) >= FINE_UNITS) {
      unit *= 10;
    }
    for (long cell : nanos) {
      to.add(cell == 0 ? 0 : Math.max(1, (cell + unit / 2) / unit));
    }
    return unit;
  }
}
