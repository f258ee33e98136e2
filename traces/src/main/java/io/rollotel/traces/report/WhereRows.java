package io.rollotel.traces.report;

import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.analysis.SelectedSpans;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.query.QueryTags;
import io.rollotel.traces.query.SpanMatches;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The spans that a query matches, as text and as JSON. */
final class WhereRows implements Serializable {

  private static final int LISTED = 20;
  private static final int SLOWEST = 5;

  private final Query query;
  private final SelectedSpans matching;

  /** Attributes in the query that no span has; null before any span was checked. */
  private @Nullable Set<String> unknownAttributes;

  private WhereRows(Query query, SelectedSpans matching, @Nullable Set<String> unknownAttributes) {
    this.query = query;
    this.matching = matching;
    this.unknownAttributes = unknownAttributes;
  }

  /** Those of a run, all in memory. */
  static WhereRows of(RunAnalysis run, Query query) {
    return of(run, run.startEpochNanos(), query);
  }

  private static WhereRows of(RunAnalysis part, long startEpochNanos, Query query) {
    SpanMatches matches = new SpanMatches(part, startEpochNanos, query);
    return new WhereRows(
        query,
        SelectedSpans.of(part, matches.spans()),
        new LinkedHashSet<>(matches.unknownAttributes()));
  }

  private void add(WhereRows part) {
    matching.add(part.matching);
    Set<String> unknown = part.unknownAttributes;
    if (unknownAttributes == null || unknown == null) {
      unknownAttributes = unknown == null ? unknownAttributes : unknown;
    } else {
      unknownAttributes.retainAll(unknown);
    }
  }

  /** Finds them in a run that is read in parts. */
  record OfParts(Query query, SelectedSpans.Frame frame, long startEpochNanos)
      implements RunWork<WhereRows> {

    OfParts(Query query, RunTotals run) {
      this(query, new SelectedSpans.Frame(run), run.startEpochNanos());
    }

    @Override
    public WhereRows none() {
      return new WhereRows(query, frame.none(), null);
    }

    @Override
    public @Nullable SpanTags tags() {
      return query.needsContents() ? new SpanTags(new QueryTags(query, null)) : null;
    }

    @Override
    public WhereRows of(RunAnalysis part) {
      return WhereRows.of(part, startEpochNanos, query);
    }

    @Override
    public void add(WhereRows all, WhereRows made) {
      all.add(made);
    }
  }

  void print(ReportWriter out) {
    out.println();
    long all = matching.spansOfRun();
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
      for (String key : unknownAttributes == null ? Set.<String>of() : unknownAttributes) {
        out.wrapped(
            "  No span has an attribute " + key + ". To search for text, put it in quotes.");
      }
      return;
    }
    Table names = table("span.");
    for (SelectedSpans.Group name : matching.names().stream().limit(LISTED).toList()) {
      row(names, matching.spans().names().text(name.number()), name.totals());
    }
    names.print(out);
    out.more(matching.names().size() - LISTED, "name", "names");
    out.println();
    Table workers = table("on~");
    for (SelectedSpans.Group worker : matching.workers().stream().limit(LISTED).toList()) {
      row(workers, process(worker).label(), worker.totals());
    }
    workers.print(out);
    out.more(matching.workers().size() - LISTED, "process", "processes");
    out.println();
    Table slowest = new Table("slowest that match.", "took>", "on~", "trace");
    for (int number : matching.slowest().stream().limit(SLOWEST).toList()) {
      SpanRow span = new SpanRow(matching.spans(), number);
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
    return matching.all().count() != matching.count()
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

  private TracedProcess process(SelectedSpans.Group group) {
    return matching.spans().processes().get(group.number());
  }

  void write(CommonFields common, JsonRows json) {
    json.object(
        "where",
        () ->
            json.put("query", query.text())
                .put("spans", matching.count())
                .put("ofSpans", matching.spansOfRun())
                .put("totalNanos", matching.all().totalNanos())
                .rows(
                    "names",
                    matching.names(),
                    name -> {
                      json.put("name", matching.spans().names().text(name.number()));
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
                    span -> common.span(new SpanRow(matching.spans(), span))));
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
