package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ServiceRows;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the page says of a run without steps, each of whose traces is a request: rate, errors and
 * duration by the root's name, the services and the calls between them, slow and failed traces.
 */
final class PageServices {

  private static final int ROOTS = 50;
  private static final int SERVICES = 60;
  private static final int CALLS = 300;

  /** So many of each root's slowest traces are listed, and as many of those that failed. */
  private static final int TRACES = 20;

  /** How finely rates are shown over time. */
  private static final int COLUMNS = 120;

  private static final int NAME_TEXT = 200;
  private static final int REASON_TEXT = 300;

  private final ReportContents contents;
  private final RunAnalysis run;
  private final Spans spans;
  private final PageNumbers numbers;
  private final JsonRows json;
  private final List<ReportContents.RootRow> roots;

  /** Of each root's name its place among the roots that are listed. */
  private final Map<Integer, Integer> places = new HashMap<>();

  /** How long each column of the rates is. */
  private final long columnNanos;

  PageServices(ReportContents contents, PageNumbers numbers, JsonRows json) {
    this.contents = contents;
    this.run = contents.run();
    this.spans = run.spans();
    this.numbers = numbers;
    this.json = json;
    this.roots = contents.roots().stream().limit(ROOTS).toList();
    roots.forEach(root -> places.put(root.name().number(), places.size()));
    this.columnNanos = Math.max(1, (run.wallNanos() + COLUMNS - 1) / COLUMNS);
  }

  /** Where a root of that name is listed: after all that are, where it is not. */
  private int place(int name) {
    return places.getOrDefault(name, roots.size());
  }

  void write() {
    ServiceRows rows = contents.serviceRows();
    json.object(
        "requests",
        () -> {
          json.put("rootsLeftOut", contents.roots().size() - roots.size())
              .put("columnNanos", columnNanos);
          roots();
          services(rows);
          traces();
        });
  }

  private void roots() {
    double[][] begun = new double[roots.size() + 1][COLUMNS];
    double[][] failed = new double[roots.size() + 1][COLUMNS];
    for (Steps.Step trace : contents.steps().all()) {
      int root = trace.span();
      long sinceStart = spans.start(root) - run.startEpochNanos();
      int column = (int) Math.min(COLUMNS - 1, Math.max(0, sinceStart) / columnNanos);
      int place = place(spans.name(root));
      begun[place][column] += spans.weight(root);
      failed[place][column] += spans.isError(root) ? spans.weight(root) : 0;
    }
    json.rows(
            "roots",
            roots,
            root -> {
              int place = place(root.name().number());
              json.put("name", numbers.name(root.name().number()))
                  .put("count", root.count())
                  .put("perSecond", root.perSecond())
                  .put("errors", root.errors())
                  .put("p50", root.p50Nanos())
                  .put("p95", root.p95Nanos())
                  .put("p99", root.p99Nanos())
                  .put("max", root.maxNanos());
              columns(begun[place], failed[place]);
            })
        .object("others", () -> columns(begun[roots.size()], failed[roots.size()]));
  }

  private void columns(double[] begun, double[] failed) {
    json.array("begun", () -> json.numbers(rounded(begun)))
        .array("failed", () -> json.numbers(rounded(failed)));
  }

  private static long[] rounded(double[] counts) {
    long[] rounded = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      rounded[i] = Math.round(counts[i]);
    }
    return rounded;
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
    List<Integer> listed = listed();
    Map<Integer, Integer> errors = errorsWithin(listed);
    Map<String, Integer> reasons = new HashMap<>();
    List<String> texts = new ArrayList<>();
    json.array(
            "traces",
            () -> {
              for (int root : listed) {
                String reason = PageTags.cut(spans.failureText(spans.failure(root)), REASON_TEXT);
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
                            numbers.item(root),
                            place(spans.name(root)),
                            run.requestNanos(root),
                            spans.isError(root) ? 1 : 0,
                            errors.getOrDefault(root, 0),
                            spans.start(root) - run.startEpochNanos(),
                            number));
              }
            })
        .texts("reasons", texts);
  }

  /** Of each name the slowest roots and the slowest failed ones, the slowest of all first. */
  private List<Integer> listed() {
    Comparator<Integer> slowestFirst =
        Comparator.<Integer>comparingLong(run::requestNanos)
            .reversed()
            .thenComparingLong(spans::start)
            .thenComparing(Comparator.naturalOrder());
    List<PriorityQueue<Integer>> slow = new ArrayList<>();
    List<PriorityQueue<Integer>> failed = new ArrayList<>();
    for (int i = 0; i < roots.size(); i++) {
      slow.add(new PriorityQueue<>(slowestFirst.reversed()));
      failed.add(new PriorityQueue<>(slowestFirst.reversed()));
    }
    for (Steps.Step trace : contents.steps().all()) {
      int place = place(spans.name(trace.span()));
      if (place < roots.size()) {
        keepSlowest(slow.get(place), trace.span());
        if (spans.isError(trace.span())) {
          keepSlowest(failed.get(place), trace.span());
        }
      }
    }
    return Stream.concat(slow.stream(), failed.stream())
        .flatMap(Collection::stream)
        .distinct()
        .sorted(slowestFirst)
        .toList();
  }

  private static void keepSlowest(PriorityQueue<Integer> fastestFirst, int root) {
    fastestFirst.add(root);
    if (fastestFirst.size() > TRACES) {
      fastestFirst.remove();
    }
  }

  /** How many spans of each trace failed, roots among them. */
  private Map<Integer, Integer> errorsWithin(Collection<Integer> listed) {
    Set<Integer> wanted = Set.copyOf(listed);
    Map<Integer, Integer> errors = new HashMap<>();
    for (int span : run.members()) {
      if (spans.isError(span) && wanted.contains(run.stepOf(span))) {
        errors.merge(run.stepOf(span), 1, Integer::sum);
      }
    }
    return errors;
  }
}
