package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.rollotel.telemetry.internal.Propagation;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NonRecordingSpanTest {

  private static final Map<String, String> CARRIER =
      Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00");

  private final SpanContext sender =
      Span.fromContext(Propagation.extract(CARRIER, Context.root())).getSpanContext();

  private Span span() {
    Traceparent traceparent = Traceparent.of(CARRIER);
    if (traceparent == null || traceparent.unsampled() == null) {
      throw new AssertionError("not understood");
    }
    return new NonRecordingSpan(traceparent.unsampled(), OsSeededIdGenerator.create());
  }

  @Test
  void context_isOfTheSendersTraceAndNotSampledAndNotTheSender() {
    SpanContext context = span().getSpanContext();

    assertThat(context.isValid()).isTrue();
    assertThat(context.isSampled()).isFalse();
    assertThat(context.isRemote()).isFalse();
    assertThat(context.getTraceId()).isEqualTo(sender.getTraceId());
    assertThat(context.getTraceState()).isEqualTo(sender.getTraceState());
    assertThat(context.getSpanId()).isNotEqualTo(sender.getSpanId());
    assertThat(context.getSpanId()).isNotEqualTo(span().getSpanContext().getSpanId());
  }

  @Test
  void manyThreadsAsk_allAreToldTheSame() {
    for (int i = 0; i < 1_000; i++) {
      Span span = span();
      assertThat(
              IntStream.range(0, 8)
                  .parallel()
                  .mapToObj(thread -> span.getSpanContext().getSpanId())
                  .collect(Collectors.toSet()))
          .hasSize(1);
    }
  }

  @Test
  void whatIsRecorded_isLeft() {
    Span span = span();
    SpanContext before = span.getSpanContext();

    span.setAttribute("key", "value").addEvent("event").setStatus(StatusCode.ERROR);
    span.updateName("name").recordException(new IllegalStateException()).end();

    assertThat(span.isRecording()).isFalse();
    assertThat(span.getSpanContext()).isEqualTo(before);
  }
}
