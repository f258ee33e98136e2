package io.rollotel.telemetry.internal;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * A span's ids as text. {@code TraceCorrelation} loads this class only where OpenTelemetry's API is
 * on the class path.
 */
public final class CurrentSpan {

  private CurrentSpan() {}

  /** Trace id, span id and traceparent of the current span; null if no valid span is current. */
  public static String @Nullable [] ids() {
    return ids(Context.current());
  }

  /** Trace id, span id and traceparent of a context; null if it holds no valid span. */
  public static String @Nullable [] ids(Context context) {
    SpanContext span = Span.fromContext(context).getSpanContext();
    if (!span.isValid()) {
      return null;
    }
    return new String[] {
      span.getTraceId(),
      span.getSpanId(),
      "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex()
    };
  }
}
