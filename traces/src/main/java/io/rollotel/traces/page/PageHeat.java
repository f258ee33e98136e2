package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * The activity of each worker in each step, for the page's heat map: a row for every worker, a
 * column for every step or for several, and for each metric the cells as one packed column, row by
 * row.
 *
 * <p>The metrics cover all spans, including those that the timeline merges or omits.
 */
final class PageHeat {

  private static final int LABEL_TEXT = 40;

  /** The largest value of a metric has at least this many units: one digit more than is shown. */
  private static final long FINE_UNITS = 10_000;

  /** How many bytes per cell durations by name may take if the page cannot compute them itself. */
  private static final int NAME_BYTES = 4;

  /** Each metric needs one look at all spans. */
  private static final int NAMES = 200;

  private final PageRun run;
  private final ReportContents contents;
  private final Spans spans;
  private final PageNumbers numbers;
  private final PageLimits limits;
  private final HeatGrid grid;
  private final JsonRows json;
  private final List<Steps.Step> steps;
  private final int rows;
  private final int columns;

  PageHeat(PageRun run, PageLimits limits, JsonRows json) {
    this.run = run;
    this.contents = run.contents();
    this.spans = contents.totals().spans();
    this.numbers = run.numbers();
    this.limits = limits;
    this.grid = new HeatGrid(contents, numbers, limits);
    this.json = json;
    this.steps = HeatGrid.steps(contents);
    this.rows = grid.rows();
    this.columns = grid.columns();
  }

  /** The names that may have cells. */
  static List<Integer> names(ReportContents contents) {
    return contents.names().stream().limit(NAMES).map(row -> row.name().number()).toList();
  }

  /** Writes nothing if there are no steps. */
  void write() {
    if (columns == 0 || rows == 0) {
      return;
    }
    HeatCells cells = run.heat(grid);
    json.object(
        "heat",
        () -> {
          json.put("together", grid.stepsPerColumn())
              .put("rows", rows)
              .put("rowsLeftOut", contents.workers().size() - rows)
              .rows("columns", IntStream.range(0, columns).boxed().toList(), this::column)
              .put("further", further());
          times();
          json.object("queue", () -> cells(cells.waits()))
              .object("cost", () -> cells(cells.costs()));
          if (!run.isEverySpan()) {
            names(cells);
          }
        });
  }

  private void column(int column) {
    int from = column * grid.stepsPerColumn();
    List<Steps.Step> together =
        steps.subList(from, Math.min(steps.size(), from + grid.stepsPerColumn()));
    Steps.Step longest = PageSteps.longest(together);
    long end = together.stream().mapToLong(step -> spans.end(step.span())).max().orElse(0);
    long start = spans.start(together.get(0).span());
    json.put("first", PageTags.cut(together.get(0).label(), LABEL_TEXT))
        .put("last", PageTags.cut(together.get(together.size() - 1).label(), LABEL_TEXT))
        .put("steps", together.size())
        .put("item", numbers.item(longest.span()))
        .put("start", start - contents.header().startEpochNanos())
        .put("end", end - contents.header().startEpochNanos());
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
    long[] from = steps.stream().mapToLong(step -> spans.start(step.span())).toArray();
    long[] to = steps.stream().mapToLong(step -> spans.end(step.span())).toArray();
    for (int row = 0; row < rows; row++) {
      Workers.Worker worker = contents.workers().get(row).worker();
      if (worker.isDriver()) {
        continue;
      }
      long[] nanos = contents.totals().workers().busyNanos(worker, from, to);
      for (int i = 0; i < nanos.length; i++) {
        if (nanos[i] >= 0) {
          int cell = row * columns + i / grid.stepsPerColumn();
          parts[cell] += to[i] - from[i];
          busy[cell] += nanos[i];
        }
      }
    }
    json.object("parts", () -> cells(parts)).object("busy", () -> cells(busy));
  }

  /**
   * The longest span of a name in each cell: names with the most time, as long as there is room.
   */
  private void names(HeatCells cells) {
    int[] left = {NAME_BYTES * limits.cells()};
    json.array(
        "names",
        () -> {
          for (int name : names(contents)) {
            long[] longest = cells.longest(name);
            if (longest == null) {
              return;
            }
            PageBytes bytes = new PageBytes();
            long unit = pack(longest, bytes);
            String packed = bytes.base64();
            left[0] -= packed.length();
            if (left[0] < 0) {
              return;
            }
            json.objectElement(
                () -> json.put("name", numbers.name(name)).put("unit", unit).put("cells", packed));
          }
        });
  }

  private void cells(long[] nanos) {
    PageBytes bytes = new PageBytes();
    long unit = pack(nanos, bytes);
    json.put("unit", unit).put("cells", bytes.base64());
  }

  /** Packs cells in units of a power of ten; no value other than zero becomes zero. */
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
