package io.rollotel.traces.report;

import java.util.List;

/**
 * The table of workers by span: names by their time, each with all of its workers, as long as there
 * is room for them. Spans may wait for others, so the worker with the longest mean need not be slow
 * itself: the mean self time tells.
 */
final class WorkerSpansText {

  private static final int MAX_ROWS = 64;

  /** A worker stands out with this many times the median of its peers. */
  private static final double SLOW = 1.5;

  private final ReportContents contents;
  private final ReportWriter out;

  WorkerSpansText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.out = out;
  }

  void print() {
    if (contents.workers().size() < 2) {
      return; // it would equal the table of names
    }
    List<WorkerSpanRow> rows = WorkerSpanRow.of(contents.totals());
    Table table = new Table("span.", "worker~", "count>", "mean>", "?mean self>", "p95>");
    int shown = 0;
    for (int from = 0; from < rows.size() && shown == from; ) {
      int to = from;
      while (to < rows.size() && rows.get(to).name().equals(rows.get(from).name())) {
        to++;
      }
      if (from == 0 || to <= MAX_ROWS) {
        shown = Math.min(to, MAX_ROWS);
        workersOf(rows.subList(from, to), shown - from, table);
      }
      from = to;
    }
    if (shown == 0) {
      return;
    }
    out.println();
    table.print(out);
    out.more(rows.size() - shown, "span of workers", "spans of workers");
  }

  private static void workersOf(List<WorkerSpanRow> longestMeanFirst, int limit, Table table) {
    long medianNanos = longestMeanFirst.get(longestMeanFirst.size() / 2).meanNanos();
    for (WorkerSpanRow row : longestMeanFirst.subList(0, limit)) {
      table.row(
          longestMeanFirst.size() > 2 && row.meanNanos() >= SLOW * medianNanos
              ? ReportWriter.Colour.WORST
              : null,
          TextFormat.orDash(row.name().text()),
          row.process().label(),
          Long.toString(row.count()),
          TextFormat.duration(row.meanNanos()),
          TextFormat.duration(row.meanSelfNanos()),
          TextFormat.duration(row.p95Nanos()));
    }
  }
}
