package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pages of runs that are not in memory: their figures for all spans, and the spans that they show.
 */
class PagePartsTest {

  enum Situation {
    STEPS,
    STRAGGLER,
    QUEUES_AND_FAILURES,
    OVERLAPPING_STEPS,
    SERVICES;

    Planted planted() {
      return switch (this) {
        case STEPS -> PlantedRun.steps();
        case STRAGGLER -> PlantedStraggler.run(30, 50, 7);
        case QUEUES_AND_FAILURES -> workers("pipeline_step", 1_000);
        case OVERLAPPING_STEPS -> workers("pipeline_step", 400);
        case SERVICES -> workers("GET /", 1_000);
      };
    }
  }

  /** Calls that wait and fail, on hosts whose clocks agree; the roots have that name and pace. */
  private static Planted workers(String root, long paceMillis) {
    Random random = new Random(28);
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int trace = 1; trace <= 300; trace++) {
      long at = paceMillis * trace;
      long took = 500 + random.nextInt(400);
      long of = planted.span(trace, 0, trace % 5 == 0 ? "job" : root, "driver@a", at, at + took);
      for (int worker = 0; worker < 4; worker++) {
        long queue = random.nextInt(100);
        long begun = at + 10 + queue;
        String name = "work" + random.nextInt(3);
        boolean isFailed = random.nextInt(40) == 0;
        long call =
            planted.span(
                trace,
                of,
                name,
                "w" + worker + "@a",
                begun,
                begun + 100 + random.nextInt(250),
                isFailed
                    ? new Object[] {"failure", "out of memory at " + worker}
                    : new Object[] {"roll.queue_ns", queue * PlantedRun.MS});
        planted.span(trace, call, "part", "w" + worker + "@a", begun + 1, begun + 50);
      }
    }
    return planted;
  }

  /** Statements about single items depend on which are on the page. */
  private static final Set<String> OF_ITEMS = Set.of("item", "worst", "timeline", "selection");

  /** What a page of a run in parts leaves out, or has in another form. */
  private static final Set<String> OTHER = Set.of("bySteps", "byWorkers");

  private static Object withoutItems(Object json, String key) {
    if (json instanceof Map<?, ?> map) {
      Map<Object, Object> left = new LinkedHashMap<>();
      map.forEach(
          (name, value) -> {
            boolean areCellsOfNames = key.equals("heat") && name.equals("names");
            if (!OF_ITEMS.contains(name) && !OTHER.contains(name) && !areCellsOfNames) {
              left.put(name, withoutItems(value, name.toString()));
            }
          });
      return left;
    }
    if (json instanceof List<?> list) {
      boolean areRequests = key.equals("traces");
      if (key.equals("paths")) {
        return callPaths(list);
      }
      return list.stream()
          .map(
              one ->
                  areRequests && one instanceof List<?> row
                      ? row.subList(1, row.size())
                      : withoutItems(one, ""))
          .toList();
    }
    return json;
  }

  /** Call paths in no order: a caller is named by its place in the list. */
  private static Set<List<?>> callPaths(List<?> rows) {
    List<String> names = new ArrayList<>();
    Set<List<?>> paths = new HashSet<>();
    for (Object one : rows) {
      List<?> row = (List<?>) one;
      int caller = ((Number) row.get(0)).intValue();
      names.add((caller < 0 ? "" : names.get(caller)) + "/" + row.get(1));
      paths.add(List.of(names.get(names.size() - 1), row.subList(2, row.size())));
    }
    return paths;
  }

  @ParameterizedTest
  @EnumSource
  void pageOfParts_saysOfAllSpansWhatThatOfTheWholeSays(Situation situation) throws IOException {
    Planted planted = situation.planted();
    PageReader whole = new PageReader(PlantedRun.page(planted, ReportOptions.latestRun()));
    PageReader parts = new PageReader(PlantedParts.page(planted, 5));
    assertThat(withoutItems(parts.report, "")).isEqualTo(withoutItems(whole.report, ""));
    assertThat(whole.report.get("selection")).isNull();
    Map<?, ?> selection = (Map<?, ?>) parts.report.get("selection");
    assertThat(selection.get("ofTraces")).isEqualTo(whole.report.get("traces"));
    assertThat(((Number) Objects.requireNonNull(selection.get("spans"))).intValue())
        .isEqualTo(parts.items.size());
    assertThat(((Map<?, ?>) parts.report.get("timeline")).get("everySpan")).isEqualTo(false);
  }

  /** Its numbers and its chosen traces come out of bytes. */
  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void pageOfAnEngine_isTheSame(Situation situation) throws IOException {
    Planted planted = situation.planted();
    PageReader here = new PageReader(PlantedParts.page(planted, 5));
    PageReader there = new PageReader(PlantedParts.pageOfEngine(planted, 5));
    assertThat(there.report).isEqualTo(here.report);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(
      strings = {"name:work* dur>200ms", "roll.queue_ns>50000000 OR status:error", "no.such=1"})
  void queryOfAnEngine_findsTheSame(String text) throws Exception {
    Planted planted = workers("pipeline_step", 1_000);
    ReportOptions options = ReportOptions.latestRun().withWhere(Query.parse(text));
    String here = json(PlantedParts.report(planted, 5, options));
    assertThat(here).contains("\"query\":\"" + text);
    assertThat(json(PlantedParts.reportOfEngine(planted, 5, options))).isEqualTo(here);
  }

  private static String json(RunReport report) {
    StringWriter text = new StringWriter();
    report.writeJson(new PrintWriter(text));
    return text.toString();
  }

  private static Set<String> traces(RunAnalysis details) {
    Set<String> ids = new TreeSet<>();
    Arrays.stream(details.members()).mapToObj(details.spans()::traceIdOf).forEach(ids::add);
    return ids;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void chosenTraces_areThoseThatTheReportNamesAndOthersHoweverManyPartsThereAre(int parts)
      throws IOException {
    int most = 900;
    Planted planted = workers("pipeline_step", 1_000);
    RunReport report = PlantedParts.report(planted, parts);
    PageRun run = PageRun.ofParts(report, PageLimits.FILE, most);
    RunAnalysis details = run.details();
    assertThat(details.members().length).isBetween(most - 9, most);

    Spans all = report.contents().totals().spans();
    List<Integer> named = new ArrayList<>();
    report.contents().slowestSpans().forEach(row -> named.add(row.number()));
    report.contents().failures().forEach(row -> named.add(row.first().number()));
    report.contents().steps().slowest().forEach(step -> named.add(step.span()));
    named.add(report.contents().steps().all().get(0).span());
    report
        .contents()
        .findings()
        .forEach(finding -> finding.evidence().forEach(row -> named.add(row.number())));
    assertThat(named).hasSizeGreaterThan(30);
    for (int row : named) {
      int item = run.numbers().item(row);
      assertThat(item).isNotNegative();
      int span = run.placed().firstSpan(item);
      assertThat(details.spans().spanId(span)).isEqualTo(all.spanId(row));
      assertThat(details.spans().traceIdOf(span)).isEqualTo(all.traceIdOf(row));
    }
    RunReport once = PlantedParts.report(planted, 3);
    assertThat(traces(details))
        .isEqualTo(traces(PageRun.ofParts(once, PageLimits.FILE, most).details()));
    assertThat(Objects.requireNonNull(details.spans().tags()).get(details.members()[0]))
        .isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 8, 100})
  void tooLittleRoom_leavesTracesOut(long most) throws IOException {
    RunReport report = PlantedParts.report(workers("pipeline_step", 1_000), 4);
    PageRun run = PageRun.ofParts(report, PageLimits.FILE, most);
    assertThat(run.details().members().length).isLessThanOrEqualTo((int) most);
    assertThat(run.isEverySpan()).isFalse();
  }
}
