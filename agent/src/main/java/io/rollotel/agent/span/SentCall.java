package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.telemetry.internal.Suppression;
import org.jspecify.annotations.Nullable;

/** A call to another process, from its start until it has been submitted; never current itself. */
public final class SentCall extends RemoteSpan {

  private final Tracers tracers;
  private final Span span;
  private final boolean suppressed;

  private SentCall(Tracers tracers, Span span, boolean suppressed) {
    this.tracers = tracers;
    this.span = span;
    this.suppressed = suppressed;
  }

  public static SentCall start(Tracers tracers, String name, SpanKind kind) {
    Context current = Context.current();
    if (Suppression.isSuppressed(current)) {
      return new SentCall(tracers, Span.getInvalid(), true);
    }
    return new SentCall(
        tracers,
        tracers.ray().spanBuilder(name).setParent(current).setSpanKind(kind).startSpan(),
        false);
  }

  @Override
  public boolean isRecording() {
    return span.isRecording();
  }

  @Override
  public String traceparent() {
    return suppressed ? SUPPRESSED : traceparent(span.getSpanContext());
  }

  private static String traceparent(SpanContext context) {
    return "00-"
        + context.getTraceId()
        + '-'
        + context.getSpanId()
        + '-'
        + context.getTraceFlags().asHex();
  }

  @Override
  public void set(String key, String value) {
    if (!value.isEmpty()) {
      span.setAttribute(StringKeys.of(key), value);
    }
  }

  @Override
  public void set(String key, long value) {
    span.setAttribute(key, value);
  }

  @Override
  public void failed(Throwable thrown) {
    tracers.exceptions().fail(span, thrown);
  }

  @Override
  public void phase(String name) {}

  @Override
  public void end(@Nullable Throwable thrown) {
    if (thrown != null) {
      failed(thrown);
    }
    span.end();
  }
}
