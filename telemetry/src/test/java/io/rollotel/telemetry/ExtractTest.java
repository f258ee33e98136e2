package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.SPAN_ID;
import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.TRACE_ID;
import static io.rollotel.telemetry.Payloads.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.rollotel.telemetry.internal.Propagation;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading a context out of a payload whose carrier is good, or missing. */
class ExtractTest extends SdkFixture {

  @Test
  void extract_keepsTheTracestate() {
    Map<String, Object> metaInfo = carrying(TRACEPARENT, "tracestate", "a=1,b=2");
    SpanContext extracted = Span.fromContext(TraceContext.extract(metaInfo)).getSpanContext();
    assertThat(extracted.getTraceState().asMap()).isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        TRACEPARENT,
        "00-" + TRACE_ID + "-" + SPAN_ID + "-00",
        "01-" + TRACE_ID + "-" + SPAN_ID + "-01",
        " \t" + TRACEPARENT + "\t ",
        // A later version may have more behind the flags: W3C says to read what is known.
        "cc-" + TRACE_ID + "-" + SPAN_ID + "-01-what-the-future-brings"
      })
  void extractOfValidTraceparent_givesThatParent(String traceparent) {
    Span parent = Span.fromContext(TraceContext.extract(carrying(traceparent)));
    assertThat(parent.getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
    assertThat(parent.getSpanContext().getSpanId()).isEqualTo(SPAN_ID);
  }

  @ParameterizedTest
  @MethodSource("unreadableTracestates")
  void extractWithUnreadableTracestate_keepsTheParent(Object tracestate) {
    Map<String, Object> metaInfo = carrying(TRACEPARENT, "tracestate", tracestate);
    SpanContext parent = Span.fromContext(TraceContext.extract(metaInfo)).getSpanContext();
    assertThat(parent.getTraceId()).isEqualTo(TRACE_ID);
    assertThat(parent.getTraceState().isEmpty()).isTrue();
  }

  static Stream<Object> unreadableTracestates() {
    return Stream.of("k=" + "v".repeat(5_000_000), "no equals sign", 17, List.of(17), "\u0000=");
  }

  @Test
  void extractOntoABase_keepsTheBasesOtherValues() {
    ContextKey<String> key = ContextKey.named("base");
    Context base = Context.root().with(key, "value");
    Context extracted = Propagation.extract(Propagation.carrier(carrying(TRACEPARENT)), base);
    assertThat(extracted.get(key)).isEqualTo("value");
    assertThat(Span.fromContext(extracted).getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
    assertThat(Propagation.extract("nonsense", base)).isSameAs(base);
  }

  @Test
  void extractOfNullOrWithoutKey_givesRootAndCountsNothing() {
    long before = TraceContext.ignored();
    assertThat(TraceContext.extract(null)).isSameAs(Context.root());
    assertThat(TraceContext.extract(Map.of())).isSameAs(Context.root());
    assertThat(TraceContext.extract(Map.of("step", 7))).isSameAs(Context.root());
    assertThat(TraceContext.extract(Map.of("_otel_ctx", Map.of()))).isSameAs(Context.root());
    assertThat(TraceContext.ignored()).isEqualTo(before);
  }
}
