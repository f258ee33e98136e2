package io.rollotel.telemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/** A span's ids as text: the part of {@link TraceCorrelation} that knows OpenTelemetry. */
public final class CurrentSpan {

  private CurrentSpan() {}

  /** Trace id, span id and traceparent of what is current; null where no valid span is. */
  static String @Nullable [] ids() {
    return ids(Context.current());
  }

  /** The same of a context. For the agent. */
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
