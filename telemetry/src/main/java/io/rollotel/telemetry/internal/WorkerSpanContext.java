package io.rollotel.telemetry.internal;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The worker span in a context: the agent puts it there, and the user's {@code WorkerSpan} sets
 * attributes on it. {@code WorkerSpan} loads this class only where OpenTelemetry's API is on the
 * class path.
 */
public final class WorkerSpanContext {

  private static final ContextKey<Span> OWN = ContextKey.named("roll-otel-worker-span");

  /** Initialised only if there is an agent, which may be attached at any time. */
  private static final class Shared {
    static final ContextKey<Span> KEY = sharedKey();
  }

  private final Span span;

  private WorkerSpanContext(Span span) {
    this.span = span;
  }

  /** The context inside a worker span. */
  public static Context with(Context context, Span workerSpan) {
    return context.with(Shared.KEY, workerSpan);
  }

  /** The key under which a context keeps its worker span. */
  public static ContextKey<Span> key() {
    return Shared.KEY;
  }

  /** The worker span that is current and records; null if there is none. */
  public static @Nullable WorkerSpanContext current() {
    Span worker = AgentLink.get() == null ? null : Context.current().get(Shared.KEY);
    return worker == null || !worker.isRecording() ? null : new WorkerSpanContext(worker);
  }

  /** Sets an attribute; the value is a text, a double, a long or a boolean. */
  public void set(String key, Object value) {
    if (value instanceof String text) {
      span.setAttribute(key, text);
    } else if (value instanceof Double number) {
      span.setAttribute(key, number);
    } else if (value instanceof Long number) {
      span.setAttribute(key, number);
    } else if (value instanceof Boolean flag) {
      span.setAttribute(key, flag);
    }
  }

  @SuppressWarnings("unchecked") // the supplier creates the returned object
  private static ContextKey<Span> sharedKey() {
    Supplier<ContextKey<Span>> create = () -> OWN;
    AgentLink agent = AgentLink.get();
    Object shared = agent == null ? null : agent.workerKey(ContextKey.class, create);
    return shared == null ? OWN : (ContextKey<Span>) shared;
  }
}
