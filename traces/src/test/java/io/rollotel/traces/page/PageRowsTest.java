package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** What the page selects of a report: bars of steps, steps of agents' runs, numbers for names. */
class PageRowsTest {

  private final Planted planted = new Planted();

  private RunReport report() {
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    return RunReport.ofNewest(
        List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of()));
  }

  private Map<?, ?> steps(int mostBars) {
    RunReport report = report();
    ReportContents contents = report.contents();
    PageSpans placed = new PageSpans(report.analysis(), 1000);
    PageNumbers numbers = new PageNumbers(contents, placed, 100);
    PageLimits limits = new PageLimits(0, 0, 1000, mostBars, 100, 100, 100, 100, 0);
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      new PageSteps(contents, numbers, limits, new JsonRows(json)).write();
      json.writeEndObject();
    }
    return (Map<?, ?>) ((Map<?, ?>) Json.parse(text.toString())).get("steps");
  }

  private static String numbers(Object list, String key) {
    return ((List<?>) list)
        .stream()
            .map(row -> ((BigDecimal) ((Map<?, ?>) row).get(key)).toPlainString())
            .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "a bar for each,          5, 10, 1, 1 1 1 1 1, 10 20 30 40 50",
    "as many bars as steps,   5, 5,  1, 1 1 1 1 1, 10 20 30 40 50",
    "two steps in a bar,      5, 4,  2, 2 2 1,     30 70 50",
    "all steps in one bar,    5, 1,  5, 5,         150"
  })
  void steps_areBarsOfSeveralWhereThereAreMany(
      String situation, int count, int mostBars, int together, String sizes, String walls) {
    for (int step = 1; step <= count; step++) {
      planted.span(step, 0, "pipeline_step", "driver", 100L * step, 110L * step);
    }
    Map<?, ?> steps = steps(mostBars);
    assertThat(steps.get("together")).as(situation).isEqualTo(BigDecimal.valueOf(together));
    assertThat(numbers(steps.get("bars"), "steps")).as(situation).isEqualTo(sizes);
    assertThat(numbers(steps.get("bars"), "wall")).as(situation).isEqualTo(walls);
    assertThat(numbers(steps.get("slowest"), "wall")).as(situation).isEqualTo("50 40 30 20 10");
  }

  @Test
  void bar_hasTheLongestPhasesOfTheRunAndThreeOthers() {
    for (int step = 1; step <= 3; step++) {
      long at = 10_000L * step;
      long root = planted.span(step, 0, "pipeline_step", "driver", at, at + 5000);
      for (int phase = 0; phase < 17; phase++) {
        long nanos = step == 3 && phase == 16 ? 100 : 200 - 10L * phase;
        planted.span(step, root, "phase" + phase, "driver", at, at + nanos);
        at += nanos;
      }
    }
    Map<?, ?> steps = steps(10);
    List<String> ofRun = List.of(numbers(steps.get("phases"), "name").split(" ")).subList(0, 12);
    for (Object bar : (List<?>) steps.get("bars")) {
      List<?> pairs = (List<?>) ((Map<?, ?>) bar).get("phases");
      assertThat(pairs).hasSize(2 * 15);
      assertThat(pairs.stream().map(Object::toString)).containsAll(ofRun);
    }
    Object last = ((List<?>) steps.get("bars")).get(2);
    assertThat(((Map<?, ?>) last).get("phases").toString()).contains(" 100, ").endsWith(", 70]");
  }

  @Test
  void runWithoutSpansOfSteps_hasItsTracesForBars() {
    planted.span(1, 0, "job", "w1", 0, 100);
    assertThat(steps(10).get("areTraces")).isEqualTo(true);
  }

  @ParameterizedTest
  @CsvSource({
    "room for all,                      3 4,       100,  1 1",
    "the latest has all the room,       3 4,       4,    0 1",
    "half of the steps of the earlier,  10 4,      9,    2 1",
    "a run without steps,               0 4,       100,  1 1",
    "more steps than a run may have,    5000,      9000, 3",
    "no room at all,                    5 5,       0,    0 0"
  })
  void agentRuns_haveEveryNthStep(String situation, String steps, int room, String everyNth) {
    assertThat(PageRuns.everyNth(numbers(steps), room)).as(situation).isEqualTo(numbers(everyNth));
  }

  private static int[] numbers(String text) {
    return Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
  }

  @Test
  void namesBeyondTheLimit_shareTheNumberAfterTheLast() {
    planted.span(1, 0, "long", "w1", 0, 100);
    planted.span(2, 0, "middle", "w1", 100, 150);
    planted.span(3, 0, "short", "w1", 200, 210);
    RunReport report = report();
    ReportContents contents = report.contents();
    PageNumbers numbers =
        new PageNumbers(contents, new PageSpans(report.analysis(), 10), /* maxNames= */ 1);
    assertThat(contents.names().stream().map(name -> numbers.name(name.name().number())))
        .containsExactly(0, 1, 1);
  }

  @Test
  void processWithoutAnEndedSpan_isNoWorker() {
    planted.span(1, 0, "work", "w1", 0, 100);
    RunReport report = report();
    ReportContents contents = report.contents();
    PageNumbers numbers = new PageNumbers(contents, new PageSpans(report.analysis(), 10), 10);
    assertThat(numbers.worker(-1)).isEqualTo(-1);
    assertThat(numbers.worker(0)).isZero();
  }

  @Test
  void clocks_areSaidWithWhatWasTakenFromTheirTimes() throws Exception {
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 1000);
    planted.span(1, step, "train", "w1@b", 5010, 5990);
    planted.span(1, step, "train", "w2@c", 10, 990);
    planted.span(1, step, "train", "w2@c", 5010, 5990);
    Spans spans = new Spans(new SpanTags(new PageTags(1000)));
    planted.spans().forEach(spans::add);
    Map<?, ?> report = new PageReader(HtmlPage.of(spans, ReportOptions.latestRun())).report;
    assertThat(report.get("clocks"))
        .hasToString("[{host=b, of=a, nanos=5000, uncertainty=10, atLeast=false}]");
    assertThat(report.get("clocksDisagree").toString()).contains("skewed=false");
    assertThat(report.get("doubtfulHosts")).hasToString("[c]");
  }
}
