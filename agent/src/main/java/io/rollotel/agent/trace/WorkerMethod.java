package io.rollotel.agent.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import io.rollotel.agent.Settings;
import io.rollotel.agent.Settings.NoContext;
import io.rollotel.agent.WovenMethod;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.TraceContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code @Register} method, linked: decides by the table in the README what a call becomes.
 *
 * <p>Mirrors {@code inner} in ROLL's {@code decorator.py}.
 */
final class WorkerMethod {

  /** From the sender's dispatch to the start of the span; negative where clocks disagree. */
  private static final AttributeKey<Long> QUEUE_NANOS = AttributeKey.longKey("roll.queue_ns");

  private final SdkTracing tracing;
  private final String spanName;
  private final boolean traced;
  private final NoContext noContext;

  WorkerMethod(SdkTracing tracing, WovenMethod method, Settings settings) {
    this.tracing = tracing;
    spanName = method.spanName();
    traced = method.traced();
    noContext = settings.noContext();
  }

  /** A call of a method that has no carrier parameter. Never throws. */
  @Nullable Object startWithoutCarrier() {
    Context current = Context.current();
    try {
      if (!traced) {
        return suppress(current);
      }
      if (noContext == NoContext.SUPPRESS) {
        return suppress(current);
      }
      return TraceContext.isSuppressed(current) ? null : span(current, null);
    } catch (Throwable t) {
      return failed(t, current);
    }
  }

  /**
   * A call with the meta_info of its first carrier, or null where the argument has none. Never
   * throws.
   */
  @Nullable Object start(@Nullable Map<String, ?> metaInfo) {
    Context current = Context.current();
    try {
      if (!traced) {
        return suppress(current);
      }
      boolean suppressed = TraceContext.isSuppressed(current);
      if (suppressed && noContext != NoContext.SUPPRESS) {
        return null;
      }
      Object carrier = TraceContext.carrier(metaInfo);
      if (noContext == NoContext.SUPPRESS) {
        // ROLL starts from an empty context: what is current on the thread plays no part.
        return carrier == null
            ? suppress(current)
            : span(TraceContext.extract(carrier, Context.root()), carrier);
      }
      if (carrier != null) {
        return span(TraceContext.extract(carrier, current), carrier);
      }
      if (noContext == NoContext.LOCAL && !Span.fromContext(current).getSpanContext().isValid()) {
        return suppress(current);
      }
      return span(current, null);
    } catch (Throwable t) {
      return failed(t, current);
    }
  }

  private WorkerCall span(Context parent, @Nullable Object carrier) {
    SpanBuilder builder = tracing.workerTracer().spanBuilder(spanName).setParent(parent);
    long sentAtEpochNanos = TraceContext.sentAtEpochNanos(carrier);
    if (sentAtEpochNanos != 0) {
      builder.setAttribute(QUEUE_NANOS, TraceContext.epochNanos() - sentAtEpochNanos);
    }
    Span span = builder.startSpan();
    return new WorkerCall(span, parent.with(span));
  }

  private static @Nullable WorkerCall suppress(Context current) {
    return TraceContext.isSuppressed(current)
        ? null
        : new WorkerCall(null, TraceContext.suppress(current));
  }

  /** The call goes on untraced; what may have been made current is taken back. */
  @SuppressWarnings("MustBeClosedChecker") // there is no scope to close any more
  private static @Nullable Object failed(Throwable t, Context before) {
    TraceHook.failed(t);
    if (Context.current() != before) {
      before.makeCurrent();
    }
    return null;
  }
}
