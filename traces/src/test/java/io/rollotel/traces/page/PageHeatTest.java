package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** The cells of the page's heat map: what each worker did in each step. */
class PageHeatTest {

  private final Planted planted = new Planted();

  /** The driver and a step of 100 ns each 110 ns; gives the step's span. */
  private long step(int step) {
    long at = 110L * step;
    return planted.span(
        1 + step, 0, "pipeline_step", "driver", at, at + 100, "global_step", "" + step);
  }

  private static String text(Planted planted, PageLimits limits, int maxItems) {
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    RunReport report =
        RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of()));
    PageRun run = PageRun.ofWhole(report, limits, maxItems);
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      new PageHeat(run, limits, new JsonRows(json)).write();
      json.writeEndObject();
    }
    return text.toString();
  }

  private static PageLimits limits(int items, int steps, int workers) {
    return new PageLimits(0, 0, items, steps, 100, 100, workers, 100, 0);
  }

  private Map<?, ?> heat(PageLimits limits) {
    return (Map<?, ?>) ((Map<?, ?>) Json.parse(text(planted, limits, limits.items()))).get("heat");
  }

  private Map<?, ?> heat() {
    return heat(limits(1000, 100, 100));
  }

  @ParameterizedTest
  @CsvSource({
    "busy all the time,      0,   100, 100, 100",
    "a third idle,           0,   67,  100, 67",
    "longer than the step,   0,   105, 100, 100",
    "not there yet,          100, 150, 0,   0"
  })
  void worker_isBusySoLongOfAStep(String situation, long start, long end, long part, long busy) {
    step(0);
    planted.span(2, 0, "work", "w1", start, end);
    // The driver comes first and has no share of its own.
    assertThat(PageReader.cells(heat().get("parts"))).as(situation).containsExactly(0L, part);
    assertThat(PageReader.cells(heat().get("busy"))).as(situation).containsExactly(0L, busy);
  }

  @Test
  void cost_isThatOfTheLastWorkerInItsStep() {
    for (int step = 0; step < 3; step++) {
      long root = step(step);
      for (int worker = 1; worker <= 3; worker++) {
        // In step 1 worker 2 is the last, by 30.
        long end = step == 1 && worker == 2 ? 80 : 50;
        planted.span(1 + step, root, "work", "w" + worker, 110L * step, 110L * step + end);
      }
    }
    assertThat(PageReader.cells(heat().get("cost")))
        .containsExactly(0L, 0L, 0L, 0L, 0L, 0L, 0L, 30L, 0L, 0L, 0L, 0L);
  }

  @Test
  void queueWaits_areAddedUpWhereTheyWereExecuted() {
    long root = step(0);
    planted.span(1, root, "work", "w1", 10, 20, "roll.queue_ns", 4L);
    planted.span(1, root, "work", "w1", 30, 40, "roll.queue_ns", 5L);
    planted.span(1, root, "work", "w2", 10, 20, "roll.queue_ns", -3L);
    planted.span(2, 0, "work", "w2", 10, 20, "roll.queue_ns", 7L);
    assertThat(PageReader.cells(heat().get("queue")))
        .as("none that is negative, or in no step")
        .containsExactly(0L, 9L, 0L);
  }

  @Test
  void runWithoutSteps_hasNoHeatMap() {
    planted.span(1, 0, "job", "w1", 0, 5);
    planted.span(2, 0, "job", "w2", 10, 15);
    assertThat(heat()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "a column for each step,                 2, 6, 1000, 100, 1, 6",
    "as many columns as the chart has bars,  2, 6, 1000, 3,   2, 3",
    "as many columns as there is room for,   5, 8, 24,   100, 4, 2",
    "whole bars,                             5, 9, 40,   5,   4, 3",
    "more workers than cells,                9, 4, 4,    100, 4, 1"
  })
  void steps_areJoinedWhereThereAreMany(
      String situation, int workers, int steps, int items, int bars, int together, int columns) {
    for (int step = 0; step < steps; step++) {
      long root = step(step);
      for (int worker = 1; worker < workers; worker++) {
        planted.span(1 + step, root, "work", "w" + worker, 110L * step, 110L * step + 10);
      }
    }
    Map<?, ?> heat = heat(limits(items, bars, 100));
    assertThat(PageReader.number(heat.get("together"))).as(situation).isEqualTo(together);
    assertThat((List<?>) heat.get("columns")).as(situation).hasSize(columns);
    List<Long> busy = PageReader.cells(heat.get("busy"));
    assertThat(busy).as(situation).hasSize(workers * columns);
    assertThat(busy.stream().mapToLong(nanos -> nanos).sum())
        .as("nothing is lost")
        .isEqualTo(10L * (workers - 1) * steps);
    Map<?, ?> last = (Map<?, ?>) ((List<?>) heat.get("columns")).get(columns - 1);
    assertThat(last.get("last")).isEqualTo("" + (steps - 1));
    assertThat(PageReader.number(last.get("steps"))).isEqualTo(steps - (columns - 1L) * together);
  }

  @Test
  void joinedPage_hasTheLongestSpansOfNamesByCell() {
    for (int step = 0; step < 2; step++) {
      long root = step(step);
      planted.span(1 + step, root, "work", "w1", 110L * step, 110L * step + 10 + step);
      planted.span(1 + step, root, "work", "w1", 110L * step + 20, 110L * step + 25);
    }
    assertThat(heat().get("names")).as("the page has every span").isNull();
    List<?> names = (List<?>) heat(limits(12, 100, 100), 2).get("names");
    assertThat(names).hasSize(2);
    assertThat(names.stream().map(PageReader::cells).toList())
        .containsExactlyInAnyOrder(List.of(100L, 100L, 0L, 0L), List.of(0L, 0L, 10L, 11L));
  }

  private Map<?, ?> heat(PageLimits limits, int maxItems) {
    return (Map<?, ?>) ((Map<?, ?>) Json.parse(text(planted, limits, maxItems))).get("heat");
  }

  @Test
  void workersBeyondThoseThatAreListed_haveTheirNames() {
    step(0);
    planted.span(2, 0, "work", "w1", 0, 50);
    planted.span(2, 0, "work", "w2\tb", 0, 50);
    assertThat(new String(PageReader.inflated(heat(limits(100, 10, 2)).get("further")), UTF_8))
        .isEqualTo("w b\tw2 b\t2\t\n");
    assertThat(heat().get("further")).isEqualTo("");
  }

  @Test
  void largeValues_areRoundedToFourDigitsAndSmallOnesAreKept() {
    step(0);
    planted.inUnitsOf(1_000_003);
    planted.span(3, 0, "pipeline_step", "driver", 1000, 3000);
    planted.span(2, 0, "work", "w1", 1000, 2234);
    planted.inUnitsOf(1);
    planted.span(2, 0, "work", "w1", 0, 1);
    assertThat(PageReader.cells(heat().get("busy")))
        .containsExactly(0L, 0L, 100_000L, 1_234_000_000L);
  }

  /** What a page has of a run whose cells are all different. */
  private static int bytes(int workers, int steps, int spansOfWorker, Random random) {
    Planted planted = new Planted().inUnitsOf(1000);
    for (int step = 0; step < steps; step++) {
      planted.span(1 + step, 0, "pipeline_step", "driver", 1000L * step, 1000L * step + 900);
    }
    int apart = 1000 * steps / spansOfWorker;
    for (int worker = 0; worker < workers; worker++) {
      for (int i = 0; i < spansOfWorker; i++) {
        long at = (long) apart * i;
        planted.span(steps + 1, 0, "work", "w" + worker, at, at + 1 + random.nextInt(apart - 1));
      }
    }
    return text(planted, PageLimits.FILE, PageLimits.FILE.items()).length();
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"1000, 200, 200, 600_000", "10_000, 10_000, 20, 1_100_000"})
  void largeRuns_haveABoundedPart(int workers, int steps, int spansOfWorker, int mostBytes) {
    assertThat(bytes(workers, steps, spansOfWorker, new Random(5))).isLessThan(mostBytes);
  }

  @Test
  void straggler_hasTheCostOfAllItsSteps() {
    Planted run = PlantedStraggler.run(100, 20, 77);
    Map<?, ?> heat =
        (Map<?, ?>)
            ((Map<?, ?>) Json.parse(text(run, PageLimits.FILE, PageLimits.FILE.items())))
                .get("heat");
    List<Long> costs = PageReader.cells(heat.get("cost"));
    List<Integer> rows = new ArrayList<>();
    for (int cell = 0; cell < costs.size(); cell++) {
      if (costs.get(cell) > 0) {
        rows.add(cell / 20);
      }
    }
    assertThat(rows).hasSize(20);
    assertThat(Collections.frequency(rows, 77)).as("in the order of ranks").isEqualTo(20);
  }
}
