package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import org.junit.jupiter.api.Test;

/** The critical path in the page's timeline. */
class PageTimelineTest {

  @Test
  void waitInAQueue_isAPartOfThePathInWhichNobodyWorks() throws Exception {
    Planted planted = new Planted();
    long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
    long send = planted.span(1, step, "send", "driver@a", 5, 10, "kind", Span.PRODUCER);
    planted.span(1, send, "work", "w1@b", 70, 95, "kind", Span.CONSUMER);
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    planted.spans().forEach(spans::add);
    PageReader page = new PageReader(HtmlPage.of(spans, ReportOptions.latestRun()));
    assertThat(page.path())
        .extracting(
            segment ->
                "%s %s %d-%d"
                    .formatted(
                        page.items.get(segment.item()).name(),
                        segment.isQueueWait() ? "waits" : "works",
                        segment.startNanos(),
                        segment.endNanos()))
        .containsExactly(
            "pipeline_step works 0-5",
            "send works 5-10",
            "work waits 10-70",
            "work works 70-95",
            "pipeline_step works 95-100");
  }
}
