package io.rollotel.telemetry.internal;

import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The key under which a context keeps the step, or the scope of a run, that is open in it. The
 * agent tells it when the call returns in which it was opened; see {@code Activation}.
 */
public final class ActivationKey {

  /** The key without an agent; then no other code uses it. */
  private static final ContextKey<BiConsumer<Object, Object>> OWN =
      ContextKey.named("roll-otel-step");

  /** Initialised only if there is an agent, which may be attached at any time. */
  private static final class Shared {
    static final ContextKey<BiConsumer<Object, Object>> KEY = sharedKey();
  }

  private ActivationKey() {}

  /** The key. */
  public static ContextKey<BiConsumer<Object, Object>> get() {
    return AgentLink.get() == null ? OWN : Shared.KEY;
  }

  /** The agent has one key for each class of the API that it is asked for; Scope has this one. */
  @SuppressWarnings("unchecked") // the supplier creates the returned object
  private static ContextKey<BiConsumer<Object, Object>> sharedKey() {
    Supplier<ContextKey<BiConsumer<Object, Object>>> create = () -> OWN;
    AgentLink agent = AgentLink.get();
    Object shared = agent == null ? null : agent.workerKey(Scope.class, create);
    return shared == null ? OWN : (ContextKey<BiConsumer<Object, Object>>) shared;
  }
}
