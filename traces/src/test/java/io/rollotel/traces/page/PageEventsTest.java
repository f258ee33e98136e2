package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.SpanEvent;
import io.rollotel.traces.otlp.SpanLink;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Events, stack traces and links on the page. */
class PageEventsTest {

  private final Planted planted = new Planted();
  private final Map<String, List<SpanEvent>> events = new HashMap<>();
  private final Map<String, List<SpanLink>> links = new HashMap<>();
  private long bytes = PageLimits.FILE.tagBytes();

  private void event(long span, String name, long at, Map<String, Object> attributes) {
    events
        .computeIfAbsent(id(span), none -> new ArrayList<>())
        .add(new SpanEvent(name, at, attributes));
  }

  private static String id(long span) {
    return String.format("%016x", span);
  }

  private Span whole(Span span) {
    return new Span(
        span.traceId(),
        span.spanId(),
        span.parentSpanId(),
        span.name(),
        span.kind(),
        span.startEpochNanos(),
        span.endEpochNanos(),
        span.attributes(),
        span.statusCode(),
        span.resource(),
        "",
        span.failure(),
        1,
        "",
        events.getOrDefault(span.spanId(), List.of()),
        links.getOrDefault(span.spanId(), List.of()));
  }

  private PageReader page() {
    Spans spans = new Spans(new SpanTags(new PageTags(bytes)));
    planted.spans().forEach(span -> spans.add(whole(span)));
    StringWriter out = new StringWriter();
    RunReport report =
        RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of()));
    HtmlPage.writeData(
        report, null, ReportOptions.latestRun(), PageLimits.FILE, 0, new PageText(out));
    return new PageReader("id=\"data\">" + out + "</script>");
  }

  private static Map<?, ?> facts(PageReader page) {
    return (Map<?, ?>) ((Map<?, ?>) page.report.get("timeline")).get("events");
  }

  private static List<?> stacks(PageReader page) {
    byte[] json = PageReader.inflated(facts(page).get("stacks"));
    return (List<?>) Json.parse(new String(json, StandardCharsets.UTF_8));
  }

  /** What the page knows of a span besides its attributes; null for nothing. */
  private static Map<?, ?> of(PageReader page, long span) {
    for (Object line : page.details()) {
      List<?> columns = (List<?>) line;
      if (columns.get(0).equals(id(span))) {
        return columns.size() > 3 ? (Map<?, ?>) columns.get(3) : null;
      }
    }
    throw new AssertionError("no such span");
  }

  @Test
  void event_hasItsTimeInTheSpanAndItsAttributes() {
    long span = planted.span(1, 0, "load", "w1@a", 100, 900);
    event(span, "retry", Planted.START + 350, Map.of("attempt", 2L));
    event(span, "undated", 0, Map.of());
    PageReader page = page();
    assertThat(of(page, span))
        .hasToString(
            "{e=[[250, retry, {attempt=2}, -1], [null, undated, {}, -1]], l=[], more=0, moreLinks=0}");
    assertThat(facts(page).get("leftOut")).hasToString("0");
  }

  @Test
  void spanWithoutEvents_hasNoneOfThem() {
    long span = planted.span(1, 0, "load", "w1@a", 100, 900);
    assertThat(of(page(), span)).isNull();
  }

  @Test
  void equalStackTraces_areOneAndLongOnesAreCut() {
    String stack = "java.io.IOException: no\n\tat a.B.c(B.java:1)\n";
    for (int i = 0; i < 3; i++) {
      long span = planted.span(1 + i, 0, "load", "w1@a", 100 * i, 100 * i + 90, "failure", "no");
      event(
          span,
          "exception",
          Planted.START + 100 * i,
          Map.of("exception.type", "E", "exception.stacktrace", i < 2 ? stack : "x".repeat(9000)));
    }
    PageReader page = page();
    assertThat(stacks(page).stream().map(String::valueOf))
        .hasSize(2)
        .contains(stack, "x".repeat(8192) + "… (9000 characters)");
    assertThat(of(page, 1).get("e"))
        .hasToString("[[0, exception, {exception.type=E}, " + stacks(page).indexOf(stack) + "]]");
  }

  @Test
  void link_leadsToItsSpanWhereThatIsOnThePage() {
    long there = planted.span(1, 0, "produced", "w1@a", 0, 90);
    long span = planted.span(2, 0, "consumed", "w1@a", 100, 190);
    String trace = planted.spans().get(0).traceId();
    links.put(
        id(span),
        List.of(
            new SpanLink(trace, id(there), Map.of("why", "batch")),
            new SpanLink(trace, id(77), Map.of()),
            new SpanLink("", "", Map.of())));
    PageReader page = page();
    int item =
        page.items.indexOf(
            page.items.stream()
                .filter(one -> one.name().equals("produced"))
                .findFirst()
                .orElseThrow());
    assertThat(of(page, span).get("l"))
        .hasToString(
            "[[%d, %s, %s, {why=batch}], [-1, %s, %s, {}], [-1, , , {}]]"
                .formatted(item, trace, id(there), trace, id(77)));
  }

  @Test
  void moreEventsThanMayBe_areThoseOfErrorsFirst() {
    for (int i = 0; i < 2500; i++) {
      long span =
          i % 2 == 0
              ? planted.span(1 + i, 0, "load", "w1@a", 100L * i, 100L * i + 90)
              : planted.span(1 + i, 0, "load", "w1@a", 100L * i, 100L * i + 50, "failure", "no");
      event(span, "e", Planted.START + 100L * i, Map.of());
    }
    PageReader page = page();
    long shown = 0;
    for (Object line : page.details()) {
      List<?> columns = (List<?>) line;
      boolean isShown = ((Map<?, ?>) columns.get(3)).containsKey("e");
      shown += isShown ? 1 : 0;
      if (columns.get(2).toString().contains("error=")) {
        assertThat(isShown).as("of an error").isTrue();
      }
    }
    assertThat(shown).isEqualTo(2000);
    assertThat(facts(page).get("leftOut")).hasToString("500");
  }

  @Test
  void eventsOfOneSpan_areTheFirst() {
    long span = planted.span(1, 0, "load", "w1@a", 100, 900);
    for (int i = 0; i < 200; i++) {
      event(span, "e" + i, Planted.START + 100 + i, Map.of());
    }
    PageReader page = page();
    assertThat((List<?>) of(page, span).get("e")).hasSize(128);
    assertThat(of(page, span).get("more")).hasToString("72");
    assertThat(facts(page).get("leftOut")).hasToString("72");
  }

  @Test
  void memoryForEvents_isBounded() {
    bytes = 8000;
    for (int i = 0; i < 500; i++) {
      long span = planted.span(1 + i, 0, "load", "w1@a", 100L * i, 100L * i + 90);
      event(span, "e", Planted.START + 100L * i, Map.of("text", "x".repeat(500)));
    }
    PageReader page = page();
    assertThat(PageReader.number(facts(page).get("leftOut"))).isBetween(490L, 499L);
    assertThat(facts(page).get("forgotten")).isEqualTo(true);
  }
}
