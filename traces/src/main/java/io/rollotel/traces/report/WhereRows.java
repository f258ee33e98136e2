package io.rollotel.traces.report;

import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.SelectedSpans;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.query.SpanMatches;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.TracedProcess;

/** The spans that a query matches, as text and as JSON. */
final class WhereRows {

  private static final int LISTED = 20;
  private static final int SLOWEST = 5;

  private final RunAnalysis run;
  private final Query query;
  private final SelectedSpans matching;

  WhereRows(RunAnalysis run, Query query) {
    this.run = run;
    this.query = query;
    this.matching = SelectedSpans.of(run, SpanMatches.of(run, query));
  }

  void print(ReportWriter out) {
    out.println();
    int all = run.members().length;
    out.wrapped(
        ReportWriter.Colour.HEADING,
        "Spans that match "
            + query.text().strip()
            + ": "
            + matching.count()
            + " of "
            + all
            + (matching.count() == 0 ? "" : inAll()));
    if (matching.count() == 0) {
      for (String key : SpanMatches.unknownAttributes(run, query)) {
        out.wrapped(
            "  No span has an attribute " + key + ". To search for text, put it in quotes.");
      }
      return;
    }
    Table names = table("span.");
    for (SelectedSpans.Group name : matching.names().stream().limit(LISTED).toList()) {
      row(names, run.spans().names().text(name.number()), name.totals());
    }
    names.print(out);
    more(out, matching.names().size() - LISTED, "names");
    out.println();
    Table workers = table("on~");
    for (SelectedSpans.Group worker : matching.workers().stream().limit(LISTED).toList()) {
      row(workers, process(worker).label(), worker.totals());
    }
    workers.print(out);
    more(out, matching.workers().size() - LISTED, "processes");
    out.println();
    Table slowest = new Table("slowest that match.", "took>", "on~", "trace");
    for (int number : matching.slowest().stream().limit(SLOWEST).toList()) {
      SpanRow span = new SpanRow(run.spans(), number);
      slowest.row(
          TextFormat.orDash(span.name()),
          TextFormat.duration(span.nanos()),
          span.process().label(),
          span.traceId());
    }
    slowest.print(out);
  }

  private String inAll() {
    String all = ", " + TextFormat.duration(matching.all().totalNanos()) + " in all";
    return run.spans().isWeighted()
        ? ", which stand for " + TextFormat.count(matching.all().count(), "span", "spans") + all
        : all;
  }

  private static Table table(String what) {
    return new Table(what, "count>", "total>", "?mean>", "p50>", "p95>", "max>", "errors>");
  }

  private static void row(Table table, String what, NameTotals totals) {
    table.row(
        TextFormat.orDash(what),
        Long.toString(totals.count()),
        TextFormat.duration(totals.totalNanos()),
        TextFormat.duration(totals.meanNanos()),
        TextFormat.duration(totals.percentile(50)),
        TextFormat.duration(totals.percentile(95)),
        TextFormat.duration(totals.percentile(100)),
        Long.toString(totals.errors()));
  }

  private static void more(ReportWriter out, int number, String what) {
    if (number > 0) {
      out.println("  and " + number + " more " + what + " (--json has them)");
    }
  }

  private TracedProcess process(SelectedSpans.Group group) {
    return run.spans().processes().get(group.number());
  }

  void write(CommonFields common, JsonRows json) {
    json.object(
        "where",
        () ->
            json.put("query", query.text())
                .put("spans", matching.count())
                .put("ofSpans", run.members().length)
                .put("totalNanos", matching.all().totalNanos())
                .rows(
                    "names",
                    matching.names(),
                    name -> {
                      json.put("name", run.spans().names().text(name.number()));
                      write(name.totals(), json);
                    })
                .rows(
                    "workers",
                    matching.workers(),
                    worker -> {
                      common.process(process(worker));
                      write(worker.totals(), json);
                    })
                .rows(
                    "slowest",
                    matching.slowest(),
                    span -> common.span(new SpanRow(run.spans(), span))));
  }

  private static void write(NameTotals totals, JsonRows json) {
    json.put("count", totals.count())
        .put("totalNanos", totals.totalNanos())
        .put("meanNanos", totals.meanNanos())
        .put("p50Nanos", totals.percentile(50))
        .put("p95Nanos", totals.percentile(95))
        .put("maxNanos", totals.percentile(100))
        .put("errors", totals.errors());
  }
}
