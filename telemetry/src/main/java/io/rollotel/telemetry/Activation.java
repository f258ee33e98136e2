package io.rollotel.telemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;

/**
 * A context that is current on the thread that made it so, until {@link #leave}. Several may be
 * left in any order.
 */
final class Activation {

  private static final ContextKey<Activation> KEY = ContextKey.named("roll-otel-step");

  private final Context before;
  private final Context context;
  private final Scope scope;
  private volatile boolean left;

  /**
   * Makes a context current.
   *
   * @param before from {@link #settled}
   */
  @SuppressWarnings("MustBeClosedChecker") // leave closes it
  Activation(Context before, Context wanted) {
    this.before = before;
    context = wanted.with(KEY, this);
    scope = context.makeCurrent();
  }

  /** The current context of this thread, without those that were left out of order. */
  static Context settled() {
    Context current = Context.current();
    Activation activation = current.get(KEY);
    while (activation != null && activation.left && activation.context == current) {
      current = activation.before;
      activation = current.get(KEY);
    }
    return current;
  }

  /** Takes the context from its thread, which calls this. */
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  void leave() {
    left = true;
    scope.close();
    Context settled = settled();
    if (settled != Context.current()) {
      settled.makeCurrent();
    }
  }

  /** Makes its thread drop it with the next one, because another thread cannot. */
  void abandon() {
    left = true;
  }
}
