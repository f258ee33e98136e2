package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows and items of the page's timeline. */
class PageSpansTest {

  private final Planted planted = new Planted();

  /**
   * Plants {@code PROCESS:START-END} by blanks; one that begins with {@code >} is below the last.
   */
  private RunAnalysis run(String spans) {
    long last = 0;
    for (String span : spans.split(" ")) {
      boolean isChild = span.startsWith(">");
      String[] parts = span.substring(isChild ? 1 : 0).split("[:-]");
      long start = Long.parseLong(parts[1]);
      long end = Long.parseLong(parts[2]);
      last = planted.span(1, isChild ? last : 0, "work", parts[0], start, end);
    }
    return planted.analysis();
  }

  private static String text(PageSpans placed) {
    return placed.rows().stream()
        .map(
            row ->
                "worker %d lane %d depth %d: %s"
                    .formatted(row.worker(), row.lane(), row.depth(), counts(placed, row)))
        .collect(Collectors.joining("; "));
  }

  private static String counts(PageSpans placed, PageSpans.Row row) {
    return IntStream.range(row.first(), row.first() + row.count())
        .mapToObj(item -> Integer.toString(placed.spanCount(item)))
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "one span,              w1:0-10,                   worker 0 lane 0 depth 0: 1",
    "one after the other,   w1:0-10 w1:10-20,          worker 0 lane 0 depth 0: 1 1",
    "a child,               w1:0-10 >w1:2-8,           worker 0 lane 0 depth 0: 1; worker 0 lane 0 depth 1: 1",
    "at the same time,      w1:0-10 w1:5-15,           worker 0 lane 0 depth 0: 1; worker 0 lane 1 depth 0: 1",
    "a child that sticks out, w1:0-10 >w1:5-15,        worker 0 lane 0 depth 0: 1; worker 0 lane 1 depth 0: 1",
    "a child elsewhere,     w1:0-10 >w2:2-8,           worker 0 lane 0 depth 0: 1; worker 1 lane 0 depth 0: 1",
    "no duration,           w1:5-5,                    worker 0 lane 0 depth 0: 1"
  })
  void spans_haveTheirRows(String situation, String spans, String rows) {
    PageSpans placed = new PageSpans(run(spans), 100);
    assertThat(text(placed)).as(situation).isEqualTo(rows);
    assertThat(placed.placed()).isEqualTo(spans.split(" ").length);
  }

  @ParameterizedTest
  @CsvSource({"10, 10", "9, 5", "5, 5", "4, 4", "3, 2", "1, 1"})
  void moreSpansThanItems_areJoinedToAtMostSoMany(int maxItems, int items) {
    for (int i = 0; i < 10; i++) {
      planted.span(1, 0, "work", "w1", 100L * i, 100L * i + 1 + i % 3);
    }
    PageSpans placed = new PageSpans(planted.analysis(), maxItems);
    assertThat(placed.items()).isEqualTo(items);
    assertThat(IntStream.range(0, placed.items()).map(placed::spanCount).sum()).isEqualTo(10);
  }

  @Test
  void joinedSpans_leadToTheItemWithTheLongest() {
    planted.span(1, 0, "short", "w1", 0, 1);
    planted.span(1, 0, "long", "w1", 2, 9);
    planted.span(1, 0, "short", "w1", 10, 11);
    RunAnalysis run = planted.analysis();
    PageSpans placed = new PageSpans(run, 1);
    assertThat(placed.items()).isOne();
    assertThat(Arrays.stream(run.members()).map(placed::item)).containsOnly(0);
    assertThat(run.spans().nameOf(placed.longestSpan(0))).isEqualTo("long");
    assertThat(run.spans().start(placed.firstSpan(0))).isEqualTo(Planted.START);
    assertThat(run.spans().end(placed.lastSpan(0))).isEqualTo(Planted.START + 11);
  }

  @Test
  void spansOfDifferentRows_areNeverJoined() {
    PageSpans placed = new PageSpans(run("w1:0-1 w2:2-3 w1:4-5 w2:6-7"), 1);
    assertThat(text(placed)).isEqualTo("worker 0 lane 0 depth 0: 2; worker 1 lane 0 depth 0: 2");
  }

  @Test
  void deepNesting_hasARowForEachLevel() {
    StringBuilder spans = new StringBuilder("w1:0-1000");
    for (int depth = 1; depth < 100; depth++) {
      spans.append(" >w1:%d-%d".formatted(depth, 1000 - depth));
    }
    PageSpans placed = new PageSpans(run(spans.toString()), 1000);
    assertThat(placed.rows()).hasSize(100);
    assertThat(placed.placed()).isEqualTo(100);
  }

  @Test
  void lanesTooDeepForThePage_leaveTheOthersTheirRows() {
    for (int depth = 0; depth < 25_000; depth++) {
      planted.span(1, depth + 1, depth, "deep", "w1", depth, 60_000 - depth);
    }
    planted.span(2, 30_001, 0, "outer", "w2", 0, 10);
    planted.span(2, 30_002, 30_001, "inner", "w2", 0, 5);
    PageSpans placed = new PageSpans(planted.analysis(), 100_000);
    assertThat(placed.rows()).hasSize(20_000);
    assertThat(placed.rows().stream().filter(row -> row.count() > 0)).hasSize(20_000);
    assertThat(placed.placed()).isEqualTo(20_000);
    assertThat(placed.rows().stream().map(PageSpans.Row::worker).distinct()).hasSize(2);
  }

  @Test
  void spanWithoutTimes_hasNoItem() {
    planted.span(1, 0, "timed", "w1", 0, 5);
    planted.span(1, 0, "untimed", "w1", -Planted.START, -Planted.START);
    RunAnalysis run = planted.analysis();
    PageSpans placed = new PageSpans(run, 10);
    assertThat(placed.placed()).isOne();
    assertThat(Arrays.stream(run.members()).filter(span -> placed.item(span) < 0)).hasSize(1);
  }
}
