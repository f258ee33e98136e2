package io.rollotel.traces.report;

import io.rollotel.traces.spans.LostParents;
import java.util.List;

/** The requests and services of a run without steps, in a report. */
final class ServicesText {

  private static final int MAX_ROOTS = 20;
  private static final int MAX_CALLS = 20;
  private static final int LISTED = 5;

  private final ReportContents contents;
  private final ReportWriter out;

  ServicesText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.out = out;
  }

  /**
   * Rate, errors and duration of the requests, after a blank line; nothing for a run with steps.
   */
  void printRequests() {
    List<ReportContents.RootRow> roots = contents.roots();
    if (roots.isEmpty()) {
      return;
    }
    Table table =
        new Table(
            "traces of.", "count>", "?a second>", "errors>", "?p50>", "p95>", "?p99>", "max>");
    for (ReportContents.RootRow root : roots.stream().limit(MAX_ROOTS).toList()) {
      if (isMissing(root)) {
        String count = Long.toString(root.count());
        table.row(
            root.name().text(),
            count,
            TextFormat.number(root.perSecond()),
            "-",
            "-",
            "-",
            "-",
            "-");
        continue;
      }
      table.row(
          root.errors() > 0 ? ReportWriter.Colour.BAD : null,
          TextFormat.orDash(root.name().text()),
          Long.toString(root.count()),
          TextFormat.number(root.perSecond()),
          TextFormat.percent(root.errorShare()),
          TextFormat.duration(root.p50Nanos()),
          TextFormat.duration(root.p95Nanos()),
          TextFormat.duration(root.p99Nanos()),
          TextFormat.duration(root.maxNanos()));
    }
    out.println();
    out.wrapped(ReportWriter.Colour.HEADING, heading(roots));
    table.print(out);
    out.more(roots.size() - MAX_ROOTS, "name of roots", "names of roots");
  }

  /** Whether the roots are not in the files: nobody knows how long they took, or if they failed. */
  private static boolean isMissing(ReportContents.RootRow root) {
    return root.name().text().equals(LostParents.NOT_THERE);
  }

  private String heading(List<ReportContents.RootRow> roots) {
    long count = roots.stream().mapToLong(ReportContents.RootRow::count).sum();
    long errors = roots.stream().mapToLong(ReportContents.RootRow::errors).sum();
    return "How fast are the requests, and how many fail? "
        + TextFormat.count(count, "trace", "traces")
        + ", "
        + TextFormat.number(ServiceRows.perSecond(count, contents.header().wallNanos()))
        + " a second, "
        + (errors == 0
            ? roots.stream().anyMatch(ServicesText::isMissing)
                ? "none is known to have failed (unknown where the root is missing):"
                : "none failed:"
            : errors + " failed (" + TextFormat.percent((double) errors / count) + "):");
  }

  /** Which services work on the requests, and which services call which. */
  void print() {
    services();
    calls();
  }

  private void services() {
    Table table = new Table("in traces of.", "service~", "self>", "share>", "on path>", "share>");
    for (ReportContents.RootRow root : contents.roots().stream().limit(LISTED).toList()) {
      for (ReportContents.ServiceRow service : root.services().stream().limit(LISTED).toList()) {
        table.row(
            TextFormat.orDash(root.name().text()),
            TextFormat.orDash(service.service()),
            TextFormat.duration(service.selfNanos()),
            TextFormat.percent(service.selfShare()),
            TextFormat.duration(service.pathNanos()),
            TextFormat.percent(service.pathShare()));
      }
    }
    print(table);
  }

  private void calls() {
    List<ServiceRows.Calls> calls = contents.serviceRows().calls();
    Table table =
        new Table("from~", "to~", "calls>", "?a second>", "errors>", "?p50>", "p95>", "?p99>");
    for (ServiceRows.Calls pair : calls.stream().limit(MAX_CALLS).toList()) {
      ServiceRows.Requests requests = pair.requests();
      table.row(
          TextFormat.orDash(pair.caller()),
          TextFormat.orDash(pair.callee()),
          Long.toString(requests.count()),
          TextFormat.number(requests.perSecond()),
          TextFormat.percent(requests.errorShare()),
          TextFormat.duration(requests.p50Nanos()),
          TextFormat.duration(requests.p95Nanos()),
          TextFormat.duration(requests.p99Nanos()));
    }
    print(table);
    out.more(calls.size() - MAX_CALLS, "pair of services", "pairs of services");
  }

  private void print(Table table) {
    if (!table.isEmpty()) {
      out.println();
      table.print(out);
    }
  }
}
