package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;

/**
 * The span in which a worker method was called, if its parent is another one: the sender of its
 * payload. Such a span is made by another agent, for the request that brought the payload. The
 * worker's span then lies beside the request's spans, although it ran inside them; with this
 * attribute the report can show it there.
 */
final class SpanAround {

  static final AttributeKey<String> AROUND = AttributeKey.stringKey("roll.around");

  private SpanAround() {}

  /**
   * Adds its id, if the span is one of this process, will be exported, and is in the sender's trace
   * without being the sender itself.
   */
  static void add(SpanBuilder builder, Context current, SpanContext sender) {
    Span span = Span.fromContext(current);
    if (!span.isRecording()) { // most often there is none
      return;
    }
    SpanContext around = span.getSpanContext();
    if (around.isValid()
        && around.isSampled()
        && !around.isRemote()
        && around.getTraceId().equals(sender.getTraceId())
        && !around.getSpanId().equals(sender.getSpanId())) {
      builder.setAttribute(AROUND, around.getSpanId());
    }
  }
}
