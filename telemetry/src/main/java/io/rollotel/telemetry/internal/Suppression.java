package io.rollotel.telemetry.internal;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import java.util.function.Supplier;

/** Marks a context as suppressed: no tracer creates a span in it. */
public final class Suppression {

  /** The key without an agent; then no other code uses it. */
  private static final ContextKey<Boolean> OWN = ContextKey.named("roll-otel-suppressed");

  /** Initialised only if there is an agent, which may be attached at any time. */
  private static final class Shared {
    static final ContextKey<Boolean> KEY = sharedKey();
  }

  private Suppression() {}

  /** Whether the context suppresses tracing. */
  public static boolean isSuppressed(Context context) {
    return Boolean.TRUE.equals(context.get(key()));
  }

  /**
   * Whether a span with this parent is suppressed on this thread. A parent without that
   * information, or no parent, does not end the current suppression.
   */
  public static boolean isSpanSuppressed(Context parent) {
    Boolean suppressed = parent.get(key());
    return suppressed == null ? isSuppressed(Context.current()) : suppressed;
  }

  /** The context with tracing suppressed. */
  public static Context suppress(Context context) {
    return isSuppressed(context) ? context : context.with(key(), Boolean.TRUE);
  }

  /** The context with tracing not suppressed, even if it is suppressed on this thread. */
  public static Context release(Context context) {
    return context.with(key(), Boolean.FALSE);
  }

  private static ContextKey<Boolean> key() {
    return AgentLink.get() == null ? OWN : Shared.KEY;
  }

  @SuppressWarnings("unchecked") // the supplier creates the returned object
  private static ContextKey<Boolean> sharedKey() {
    Supplier<ContextKey<Boolean>> create = () -> OWN;
    AgentLink agent = AgentLink.get();
    Object shared = agent == null ? null : agent.suppressionKey(ContextKey.class, create);
    return shared == null ? OWN : (ContextKey<Boolean>) shared;
  }
}
