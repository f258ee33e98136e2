package io.rollotel.agent.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Below a sender that is not sampled: hands its trace on and records nothing. Mirrors what the SDK
 * gives there, {@link Span#wrap}, but that its ids become text when somebody asks.
 */
final class UnsampledSpan implements Span {

  private final long traceHigh;
  private final long traceLow;
  private final long spanId;
  private @Nullable SpanContext context;

  UnsampledSpan(long traceHigh, long traceLow, long spanId) {
    this.traceHigh = traceHigh;
    this.traceLow = traceLow;
    this.spanId = spanId;
  }

  @Override
  public SpanContext getSpanContext() {
    SpanContext known = context; // immutable: two threads may both make one
    if (known == null) {
      known =
          SpanContext.create(
              TraceId.fromLongs(traceHigh, traceLow),
              SpanId.fromLong(spanId),
              TraceFlags.getDefault(),
              TraceState.getDefault());
      context = known;
    }
    return known;
  }

  @Override
  public boolean isRecording() {
    return false;
  }

  @Override
  public <T> Span setAttribute(AttributeKey<T> key, @Nullable T value) {
    return this;
  }

  @Override
  public Span addEvent(String name, Attributes attributes) {
    return this;
  }

  @Override
  public Span addEvent(String name, Attributes attributes, long timestamp, TimeUnit unit) {
    return this;
  }

  @Override
  public Span setStatus(StatusCode code, String description) {
    return this;
  }

  @Override
  public Span recordException(Throwable exception, Attributes attributes) {
    return this;
  }

  @Override
  public Span updateName(String name) {
    return this;
  }

  @Override
  public void end() {}

  @Override
  public void end(long timestamp, TimeUnit unit) {}

  @Override
  public String toString() {
    return "UnsampledSpan{" + getSpanContext() + "}";
  }
}
