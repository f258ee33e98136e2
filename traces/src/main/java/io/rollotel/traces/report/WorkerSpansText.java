package io.rollotel.traces.report;

import java.util.List;

/**
 * The table of workers by span: names by their time, each with all of its workers, as long as there
 * is room for them.
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
    List<ReportContents.WorkerSpanRow> rows = contents.workerSpans();
    Table table = new Table("span.", "worker~", "count>", "mean>", "p95>");
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
    if (shown < rows.size()) {
      out.println("  and " + (rows.size() - shown) + " more spans of workers (--json has them)");
    }
  }

  private static void workersOf(
      List<ReportContents.WorkerSpanRow> slowestFirst, int limit, Table table) {
    long medianNanos = slowestFirst.get(slowestFirst.size() / 2).meanNanos();
    for (ReportContents.WorkerSpanRow row : slowestFirst.subList(0, limit)) {
      table.row(
          slowestFirst.size() > 2 && row.meanNanos() >= SLOW * medianNanos
              ? ReportWriter.Colour.WORST
              : null,
          TextFormat.orDash(row.name().text()),
          row.process().label(),
          Long.toString(row.count()),
          TextFormat.duration(row.meanNanos()),
          TextFormat.duration(row.p95Nanos()));
    }
  }
}
