package io.rollotel.traces.page;

import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ServiceRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The page's data for a run without steps, each of whose traces is a request: rate, errors and
 * duration by the root's name, the services and the calls between them, slow and failed traces.
 */
final class PageServices {

  private static final int SERVICES = 60;
  private static final int CALLS = 300;

  private static final int NAME_TEXT = 200;
  private static final int REASON_TEXT = 300;

  private final PageRun run;
  private final ReportContents contents;
  private final PageNumbers numbers;
  private final JsonRows json;
  private final RequestSums.Frame frame;
  private final RequestSums sums;

  PageServices(PageRun run, JsonRows json) {
    this.run = run;
    this.contents = run.contents();
    this.numbers = run.numbers();
    this.json = json;
    this.frame = RequestSums.Frame.of(contents);
    this.sums = run.requests(frame);
  }

  void write() {
    ServiceRows rows = contents.serviceRows();
    json.object(
        "requests",
        () -> {
          json.put("rootsLeftOut", contents.roots().size() - frame.roots().size())
              .put("columnNanos", frame.columnNanos());
          roots();
          services(rows);
          traces();
        });
  }

  private void roots() {
    List<ReportContents.RootRow> roots = RequestSums.roots(contents);
    int[] place = {0}; // rows are written one after the other
    json.rows(
            "roots",
            roots,
            root -> {
              json.put("name", numbers.name(root.name().number()))
                  .put("count", root.count())
                  .put("perSecond", root.perSecond())
                  .put("errors", root.errors())
                  .put("p50", root.p50Nanos())
                  .put("p95", root.p95Nanos())
                  .put("p99", root.p99Nanos())
                  .put("max", root.maxNanos());
              columns(place[0]++);
            })
        .object("others", () -> columns(roots.size()));
  }

  private void columns(int place) {
    json.array("begun", () -> json.numbers(sums.begun(place)))
        .array("failed", () -> json.numbers(sums.failed(place)));
  }

  private void services(ServiceRows rows) {
    List<ServiceRows.Service> services = rows.services().stream().limit(SERVICES).toList();
    Map<String, Integer> numberOf = new HashMap<>();
    services.forEach(one -> numberOf.put(one.service(), numberOf.size()));
    List<ServiceRows.Calls> calls =
        rows.calls().stream()
            .filter(one -> numberOf.containsKey(one.caller()) && numberOf.containsKey(one.callee()))
            .limit(CALLS)
            .toList();
    json.put("servicesLeftOut", rows.services().size() - services.size())
        .put("callsLeftOut", rows.calls().size() - calls.size())
        .rows(
            "services",
            services,
            one -> {
              json.put("service", PageTags.cut(one.service(), NAME_TEXT));
              requests(one.requests());
            })
        .rows(
            "calls",
            calls,
            one -> {
              json.put("from", numberOf.getOrDefault(one.caller(), -1))
                  .put("to", numberOf.getOrDefault(one.callee(), -1));
              requests(one.requests());
            });
  }

  private void requests(ServiceRows.Requests requests) {
    json.put("count", requests.count())
        .put("perSecond", requests.perSecond())
        .put("errors", requests.errors())
        .put("p50", requests.p50Nanos())
        .put("p95", requests.p95Nanos())
        .put("p99", requests.p99Nanos())
        .put("max", requests.maxNanos());
  }

  /** A row for each listed trace: its root's item, its name's place, time, errors, and reason. */
  private void traces() {
    Map<String, Integer> reasons = new HashMap<>();
    List<String> texts = new ArrayList<>();
    json.array(
            "traces",
            () -> {
              for (RequestSums.Request request : sums.listed()) {
                String reason = PageTags.cut(request.failure(), REASON_TEXT);
                int number =
                    reason.isEmpty()
                        ? -1
                        : reasons.computeIfAbsent(
                            reason,
                            text -> {
                              texts.add(text);
                              return texts.size() - 1;
                            });
                json.arrayElement(
                    () ->
                        json.numbers(
                            run.item(request),
                            request.place(),
                            request.nanos(),
                            request.isFailed() ? 1 : 0,
                            sums.errors(request),
                            request.startNanos(),
                            number));
              }
            })
        .texts("reasons", texts);
  }
}
