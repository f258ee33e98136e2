package io.rollotel.agent.span;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.internal.Suppression;
import org.jspecify.annotations.Nullable;

/**
 * A call of a worker method without a span, between its start and its return, both on one thread:
 * nothing inside it is traced.
 */
final class SuppressedCall extends TraceHook.Call {

  private final Context before;
  private final Scope scope;

  @SuppressWarnings("MustBeClosedChecker") // end closes it
  SuppressedCall(Context suppressed, Context before) {
    this.before = before;
    scope = suppressed.makeCurrent();
  }

  /** Closes scopes that the method left open, as {@link WorkerCall} does. */
  @Override
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  protected void end(@Nullable Throwable thrown) {
    try {
      scope.close();
      Context left = Context.current();
      if (left != before
          && (thrown instanceof StackOverflowError || Suppression.isSuppressed(left))) {
        before.makeCurrent();
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }
}
