package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A span of a trace that is not sampled, either below its sender or the root itself. It passes the
 * trace on and records nothing. Mirrors the SDK's {@link Span#wrap}, except that its ids are made
 * on demand.
 */
final class NonRecordingSpan implements Span {

  /** The trace's id, or a header that contains it. */
  private final String trace;

  private final OsSeededIdGenerator ids;

  // Guarded by this: all callers must get the same id.
  private @Nullable SpanContext context;

  /**
   * In a trace.
   *
   * @param trace its id, or {@link Traceparent#unsampled}
   */
  NonRecordingSpan(String trace, OsSeededIdGenerator ids) {
    this.trace = trace;
    this.ids = ids;
  }

  /** Another of the same trace. */
  NonRecordingSpan below() {
    return new NonRecordingSpan(trace, ids);
  }

  @Override
  public synchronized SpanContext getSpanContext() {
    if (context == null) {
      context =
          SpanContext.create(
              trace.length() == TraceId.getLength() ? trace : Traceparent.traceId(trace),
              ids.generateSpanId(),
              TraceFlags.getDefault(),
              TraceState.getDefault());
    }
    return context;
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
    return "NonRecordingSpan{" + getSpanContext() + "}";
  }
}
