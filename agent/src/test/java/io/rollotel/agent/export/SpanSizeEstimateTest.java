package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SpanSizeEstimateTest {

  private static final int LARGE = 1 << 20;
  private static final String TEXT = "x".repeat(LARGE);
  private static final AttributeKey<List<String>> TEXTS = AttributeKey.stringArrayKey("texts");

  @Test
  void largePartOfASpan_countsWhereverItIs() {
    Map<String, Consumer<Span>> parts =
        Map.of(
            "name", span -> span.updateName(TEXT),
            "text", span -> span.setAttribute("text", TEXT),
            "texts", span -> span.setAttribute(TEXTS, List.of("", TEXT)),
            "event", span -> span.addEvent(TEXT),
            "event's attribute",
                span -> span.addEvent("event", Attributes.of(TEXTS, List.of(TEXT))),
            "status", span -> span.setStatus(StatusCode.ERROR, TEXT));
    parts.forEach(
        (name, enlarge) -> {
          Span span =
              SdkTracerProvider.builder().build().get("test").spanBuilder("span").startSpan();
          enlarge.accept(span);
          span.end();
          assertThat(SpanSizeEstimate.of(((ReadableSpan) span).toSpanData()))
              .as(name)
              .isBetween((long) LARGE, LARGE + 1_000L);
        });
  }
}
