package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HtmlPageTest {

  private static final int MAX_BYTES = 20_000_000;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void randomRun_isOnThePageSpanForSpan(int seed) throws Exception {
    Planted planted = random(new Random(seed), 400);
    PageReader page = new PageReader(page(planted));

    Map<String, Integer> expected = new HashMap<>();
    Map<String, Span> byId = new HashMap<>();
    planted.spans().forEach(span -> byId.put(span.traceId() + span.spanId(), span));
    for (Span span : planted.spans()) {
      Span parent = byId.get(span.traceId() + span.parentSpanId());
      expected.merge(
          row(span) + (parent == null ? " in " + span.traceId() : " below " + row(parent)),
          1,
          Integer::sum);
    }
    Map<String, Integer> found = new HashMap<>();
    long first = planted.spans().stream().mapToLong(Span::startEpochNanos).min().orElseThrow();
    for (PageReader.Item item : page.items) {
      found.merge(
          row(item, first)
              + (item.parent() < 0
                  ? " in " + item.trace()
                  : " below " + row(page.items.get(item.parent()), first)),
          1,
          Integer::sum);
    }
    assertThat(found).isEqualTo(expected);
    assertThat(page.details()).hasSameSizeAs(planted.spans());
  }

  private static String row(Span span) {
    return span.name() + " " + span.startEpochNanos() + " " + span.endEpochNanos();
  }

  private static String row(PageReader.Item item, long first) {
    return item.name() + " " + (first + item.startNanos()) + " " + (first + item.endNanos());
  }

  /** Spans that overlap in one process, of several traces, nested at random. */
  private static Planted random(Random random, int count) {
    Planted planted = new Planted();
    List<long[]> open = new ArrayList<>(); // trace, id, start, end
    for (int i = 0; i < count; i++) {
      if (open.isEmpty() || random.nextInt(6) == 0) {
        long start = random.nextInt(100_000);
        long end = start + random.nextInt(20_000);
        long trace = 1 + i;
        String name = random.nextBoolean() ? "pipeline_step" : "root";
        long id = planted.span(trace, 0, name, "driver@a", start, end);
        open.add(new long[] {trace, id, start, end});
        continue;
      }
      long[] parent = open.get(random.nextInt(open.size()));
      long length = parent[3] - parent[2];
      long start = parent[2] + (length == 0 ? 0 : random.nextLong(length));
      long end = start + (length == 0 ? 0 : random.nextLong(2 * length));
      String process = random.nextInt(3) == 0 ? "driver@a" : "actor" + random.nextInt(3) + "@b";
      long id = planted.span(parent[0], parent[1], "w" + random.nextInt(9), process, start, end);
      open.add(new long[] {parent[0], id, start, end});
    }
    return planted;
  }

  private static HtmlPage page(Planted planted) {
    return page(planted, ReportOptions.latestRun());
  }

  private static HtmlPage page(Planted planted, ReportOptions options) {
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    planted.spans().forEach(spans::add);
    return HtmlPage.of(spans, options);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 3000, 5000})
  void moreSpansThanMayBe_areJoinedWhereTheyAreShort(int maxItems) {
    Planted planted = random(new Random(17), 5000);
    RunAnalysis run = planted.analysis();
    PageSpans placed = new PageSpans(run, maxItems);

    assertThat(placed.placed()).isEqualTo(5000);
    assertThat(placed.items()).isLessThanOrEqualTo(Math.max(maxItems, placed.rows().size()));
    Spans spans = run.spans();
    int[] counts = new int[placed.items()];
    for (int span : run.members()) {
      int item = placed.item(span);
      counts[item]++;
      assertThat(spans.start(span))
          .isGreaterThanOrEqualTo(spans.start(placed.firstSpan(item)))
          .isLessThanOrEqualTo(spans.start(placed.lastSpan(item)));
      assertThat(spans.nanos(span)).isLessThanOrEqualTo(spans.nanos(placed.longestSpan(item)));
    }
    for (PageSpans.Row row : placed.rows()) {
      for (int item = row.first(); item < row.first() + row.count(); item++) {
        assertThat(counts[item]).isEqualTo(placed.spanCount(item));
        if (item > row.first()) {
          assertThat(spans.start(placed.firstSpan(item)))
              .isGreaterThanOrEqualTo(spans.end(placed.lastSpan(item - 1)));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40, 1000})
  void parentsAmongJoinedSpans_endAtATop(int maxItems) {
    Spans spans = new Spans(new SpanTags(new PageTags(1 << 20)));
    random(new Random(23), 3000).spans().forEach(spans::add);
    PageLimits limits = new PageLimits(100_000, 1000, maxItems, 10, 10, 10, 10, 10, 1 << 20);
    StringWriter out = new StringWriter();
    RunReport report =
        RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of()));
    HtmlPage.writeData(report, null, ReportOptions.latestRun(), limits, 0, new PageText(out));
    PageReader page = new PageReader("id=\"data\">" + out + "</script>");

    assertThat(page.items.stream().mapToInt(PageReader.Item::spans).sum()).isEqualTo(3000);
    for (PageReader.Item item : page.items) {
      int steps = 0;
      for (PageReader.Item at = item; at.parent() >= 0; at = page.items.get(at.parent())) {
        assertThat(++steps).isLessThan(page.items.size());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "</script><script>window.owned=1</script>",
        "<!--<script>",
        "\"'`${1}\\",
        "a\u2028b\u2029c",
        "]]>&lt;",
        "half a pair: \ud83d"
      })
  void hostileText_staysWithinTheData(String text) throws Exception {
    Planted planted = new Planted(text);
    long step = planted.span(1, 0, "pipeline_step", "driver@" + text, 0, 100, "global_step", text);
    planted.span(1, step, text, "actor1@b", 10, 50, text, text, "failure", text);
    PageReader page =
        new PageReader(page(planted, ReportOptions.latestRun().withTraceUrl("http://x/" + text)));

    assertThat(page.data()).doesNotContain("<", ">", "&", "\u2028", "\u2029");
    assertThat(page.html).doesNotContain("window.owned=1<");
    assertThat(page.html.split("<script", -1)).as("the data and the script").hasSize(3);
    String shown = text.replace('\ud83d', '?');
    assertThat(page.items).extracting(PageReader.Item::name).contains(shown);
    assertThat(page.report.get("run")).isEqualTo(shown);
    assertThat(page.details().toString()).contains(shown + "=" + shown, "error=" + shown);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-17, -17",
    "9007199254740991, 9007199254740991",
    "9007199254740992, text 9007199254740992",
    "-9007199254740992, text -9007199254740992",
    "9223372036854775807, text 9223372036854775807",
    "-9223372036854775808, text -9223372036854775808",
  })
  void wholeNumber_isTextWhereJavaScriptHasNoSuchNumber(long number, String shown)
      throws Exception {
    Planted planted = new Planted();
    planted.span(1, 0, "step", "driver@a", 0, 100, "number", number);
    Object detail = ((List<?>) new PageReader(page(planted)).details().get(0)).get(2);
    Object value = ((Map<?, ?>) ((Map<?, ?>) detail).get("a")).get("number");
    assertThat(value instanceof String ? "text " + value : value.toString()).isEqualTo(shown);
  }

  @Test
  void page_asksNobodyForAnything() throws Exception {
    String html = new PageReader(page(random(new Random(3), 50))).html;
    assertThat(html)
        .contains("default-src 'none'", "connect-src 'none'")
        .doesNotContainPattern("(?i)(src|href)=\"(?!data:|#)")
        .doesNotContain("@import", "url(", "innerHTML", "insertAdjacentHTML", "document.write")
        .doesNotContain("@STYLE@", "@SCRIPT@", "@POLICY@", "@DATA@");
  }

  @Test
  void scripts_shareNoName() throws Exception {
    String html = new PageReader(page(random(new Random(3), 50))).html;
    Matcher declared =
        Pattern.compile("(?m)^(?:async )?(?:function|class|const|let) (\\w+)").matcher(html);
    assertThat(declared.results().map(found -> found.group(1)))
        .hasSizeGreaterThan(100)
        .doesNotHaveDuplicates();
  }

  @Tag("campaign")
  @Test
  void longTextsInLargeNumber_leaveThePageWithinItsSize() throws Exception {
    Planted planted = new Planted();
    StringBuilder noise = new StringBuilder();
    Random random = new Random(1);
    for (int i = 0; i < 1_000_000; i++) {
      noise.append((char) ('!' + random.nextInt(90)));
    }
    for (int i = 0; i < 6000; i++) {
      int at =
          (int) (i * 245_489L % 990_000); // far apart, otherwise deflate would find the repetition
      String text = noise.substring(at, at + 10_000);
      planted.span(1 + i, 0, text, "p" + i, 1000L * i, 1000L * i + 900, "key", text);
    }
    PageReader page = new PageReader(page(planted));
    assertThat(page.html.length()).isLessThan(MAX_BYTES);
    assertThat(page.items).hasSize(6000);
    assertThat(page.details().size()).isBetween(500, 5999);
  }
}
