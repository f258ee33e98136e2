package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.SPAN_ID;
import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.TRACE_ID;
import static io.rollotel.telemetry.Payloads.carrying;
import static io.rollotel.telemetry.Payloads.headersIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Making a payload's context current. */
class AttachTest extends SdkFixture {

  @Test
  void attachOfValidContext_makesTheRemoteSpanCurrent() {
    try (Scope scope = TraceContext.attach(carrying(TRACEPARENT))) {
      SpanContext current = Span.current().getSpanContext();
      assertThat(current.getSpanId()).isEqualTo(SPAN_ID);
      assertThat(current.isRemote()).isTrue();
      Telemetry.tracer().spanBuilder("child").startSpan().end();
    }
    assertThat(exporter.getFinishedSpanItems())
        .singleElement()
        .satisfies(
            child -> {
              assertThat(child.getTraceId()).isEqualTo(TRACE_ID);
              assertThat(child.getParentSpanId()).isEqualTo(SPAN_ID);
            });
    assertThat(Context.current()).isSameAs(Context.root());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("withoutContext")
  void attachWithoutContext_suppresses(String what, Map<String, ?> metaInfo) {
    try (Scope scope = TraceContext.attach(metaInfo)) {
      assertThat(TraceContext.isSuppressed(Context.current())).isTrue();
      Span span = Telemetry.tracer().spanBuilder("suppressed").startSpan();
      assertThat(span.isRecording()).isFalse();
      span.end();
      assertThat(TraceContext.inject(carrying(TRACEPARENT))).isEmpty();
    }
    assertThat(TraceContext.isSuppressed(Context.current())).isFalse();
    assertThat(exporter.getFinishedSpanItems()).isEmpty();
  }

  static Stream<Arguments> withoutContext() {
    return Stream.of(
        arguments("null", null),
        arguments("empty", Map.of()),
        arguments("no key", Map.of("step", 7)),
        arguments("throws", new ThrowingMap<>(IllegalStateException::new)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("withContextThatHoldsNothing")
  void attachWithKeyThatHoldsNothing_startsANewRoot(String what, Object carrier) {
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put("_otel_ctx", carrier);
    Span outer = startSpan("outer");
    try (Scope outerScope = outer.makeCurrent();
        Scope scope = TraceContext.attach(metaInfo)) {
      assertThat(TraceContext.isSuppressed(Context.current())).isFalse();
      assertThat(Span.current().getSpanContext().isValid()).isFalse();
      Telemetry.tracer().spanBuilder("root").startSpan().end();
    }
    assertThat(exporter.getFinishedSpanItems())
        .singleElement()
        .satisfies(
            root -> {
              assertThat(root.getParentSpanContext().isValid()).isFalse();
              assertThat(root.getTraceId()).isNotEqualTo(outer.getSpanContext().getTraceId());
            });
  }

  static Stream<Arguments> withContextThatHoldsNothing() {
    return Stream.of(
        arguments("empty map", Map.of()),
        arguments("null", null),
        arguments("invalid", Map.of("traceparent", "nonsense")),
        arguments("no map", "nonsense"),
        arguments("map that throws", new ThrowingMap<>(IllegalStateException::new)));
  }

  @Test
  void nestedAttach_eachScopeRestoresWhatWasBefore() {
    Span outer = startSpan("outer");
    try (Scope outerScope = outer.makeCurrent()) {
      Context atOuter = Context.current();
      try (Scope suppressing = TraceContext.attach(null)) {
        Context atSuppressing = Context.current();
        try (Scope again = TraceContext.attach(Map.of())) {
          assertThat(TraceContext.isSuppressed(Context.current())).isTrue();
        }
        assertThat(Context.current()).isSameAs(atSuppressing);
        try (Scope valid = TraceContext.attach(carrying(TRACEPARENT))) {
          // The context of the inner payload overrides the suppression around it.
          assertThat(TraceContext.isSuppressed(Context.current())).isFalse();
          assertThat(Span.current().getSpanContext().getSpanId()).isEqualTo(SPAN_ID);
          try (Scope root = TraceContext.attach(carrying(""))) {
            assertThat(Span.current().getSpanContext().isValid()).isFalse();
          }
          assertThat(Span.current().getSpanContext().getSpanId()).isEqualTo(SPAN_ID);
        }
        assertThat(Context.current()).isSameAs(atSuppressing);
      }
      assertThat(Context.current()).isSameAs(atOuter);
    }
    assertThat(Context.current()).isSameAs(Context.root());
  }

  @Test
  void attachThenInject_handsTheContextOn() {
    Map<String, Object> next = new HashMap<>();
    try (Scope scope = TraceContext.attach(carrying(TRACEPARENT, "tracestate", "a=1,b=2"))) {
      TraceContext.inject(next);
    }
    assertThat(headersIn(next))
        .containsEntry("traceparent", TRACEPARENT)
        .containsEntry("tracestate", "a=1,b=2");
  }
}
