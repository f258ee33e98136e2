package io.rollotel.agent.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.hook.TraceHook;
import org.jspecify.annotations.Nullable;

/** A call of a worker method between its start and its end, both on one thread. */
final class WorkerCall extends TraceHook.Call {

  /** Null where the call is suppressed. */
  private final @Nullable Span span;

  private final Scope scope;

  /** Makes the context current until {@link #end}. */
  @SuppressWarnings("MustBeClosedChecker") // end closes it
  WorkerCall(@Nullable Span span, Context context) {
    this.span = span;
    scope = context.makeCurrent();
  }

  @Override
  protected void end(@Nullable Throwable thrown) {
    try {
      scope.close();
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
    if (span == null) {
      return;
    }
    try {
      if (thrown != null) {
        span.setStatus(StatusCode.ERROR);
        span.recordException(thrown);
      }
    } catch (Throwable t) {
      // The exception's own getMessage or printStackTrace threw; the status stands.
      TraceHook.failed(t);
    }
    try {
      span.end();
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }
}
