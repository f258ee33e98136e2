package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.rollotel.telemetry.internal.WorkerSpanContext;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes a payload that a worker passes on to another of its own methods from one that was
 * sent again. A payload was passed on if the enclosing worker call was started by the same sender.
 * Senders are compared by their ids, since payloads are copied. A {@link WorkerMethodSpan} stores
 * the sender itself; for other spans, the context does.
 */
final class PassedOn {

  private static final ContextKey<SpanContext> SENDER = ContextKey.named("roll-otel-sender");

  private static final ContextKey<Span> WORKER = WorkerSpanContext.key();

  private PassedOn() {}

  /**
   * Whether a call is inside one of the same sender. Nearly always the first two comparisons
   * decide, and nothing is allocated.
   */
  static boolean isFrom(Traceparent sender, Context around) {
    Span worker = around.get(WORKER);
    if (worker == null || sender.unsampled() != null) {
      return false;
    }
    if (worker instanceof WorkerMethodSpan ours && ours.traceOf() == null) {
      return ours.senderSpanId() == sender.spanId()
          && ours.traceHigh() == sender.traceHigh()
          && ours.traceLow() == sender.traceLow()
          && (Span.fromContext(around) == ours || isInTrace(around, traceId(sender)));
    }
    return isFrom(worker, SpanId.fromLong(sender.spanId()), traceId(sender), around);
  }

  /** The same for a sender that the API's propagator has read. */
  static boolean isFrom(SpanContext sender, Context around) {
    Span worker = around.get(WORKER);
    return worker != null && isFrom(worker, sender.getSpanId(), sender.getTraceId(), around);
  }

  private static boolean isFrom(Span worker, String spanId, String traceId, Context around) {
    SpanContext known = senderOf(worker, around);
    return known != null
        && known.getSpanId().equals(spanId)
        && known.getTraceId().equals(traceId)
        && isInTrace(around, traceId);
  }

  /** False below a root that was started by hand inside the worker call. */
  private static boolean isInTrace(Context around, String traceId) {
    return Span.fromContext(around).getSpanContext().getTraceId().equals(traceId);
  }

  private static String traceId(Traceparent sender) {
    return TraceId.fromLongs(sender.traceHigh(), sender.traceLow());
  }

  /**
   * The span id of the enclosing call's sender, if a {@link WorkerMethodSpan} knows it; otherwise
   * 0.
   */
  static long senderSpanId(Context around) {
    return around.get(WORKER) instanceof WorkerMethodSpan ours ? ours.senderSpanId() : 0;
  }

  /** The context inside a worker span that was started by this sender. */
  static Context with(SpanContext sender, Context inside) {
    return inside.with(SENDER, sender);
  }

  /** The context inside a worker span that was started from the current context. */
  static Context keep(Context around, Context inside) {
    Span worker = around.get(WORKER);
    SpanContext sender = worker == null ? null : senderOf(worker, around);
    return sender == null || sender == inside.get(SENDER) ? inside : with(sender, inside);
  }

  private static @Nullable SpanContext senderOf(Span worker, Context around) {
    if (worker instanceof WorkerMethodSpan ours && ours.senderSpanId() != 0) {
      return SpanContext.createFromRemoteParent(
          ours.getSpanContext().getTraceId(),
          SpanId.fromLong(ours.senderSpanId()),
          TraceFlags.getSampled(),
          TraceState.getDefault());
    }
    return around.get(SENDER);
  }
}
