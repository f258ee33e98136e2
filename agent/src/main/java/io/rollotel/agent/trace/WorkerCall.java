package io.rollotel.agent.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.TraceContext;
import org.jspecify.annotations.Nullable;

/** A call of a worker method between its start and its return, both on one thread. */
final class WorkerCall extends TraceHook.Call {

  private final WorkerMethod method;

  /** Null where the call is suppressed. */
  private final @Nullable Span span;

  private final Context before;
  private final Scope scope;

  /** The call from another process that this is the method of; it ends the span. */
  private final @Nullable ReceivedCall received;

  WorkerCall(WorkerMethod method, @Nullable Span span, Context before, Context context) {
    this(method, span, before, context, null);
  }

  /** Makes the context current until {@link #end} or {@link #endWith}. */
  @SuppressWarnings("MustBeClosedChecker") // those close it
  WorkerCall(
      WorkerMethod method,
      @Nullable Span span,
      Context before,
      Context context,
      @Nullable ReceivedCall received) {
    this.received = received;
    this.method = method;
    this.span = span;
    this.before = before;
    scope = context.makeCurrent();
  }

  /** The span, if it takes attributes. */
  @Nullable Span recording() {
    return span != null && span.isRecording() ? span : null;
  }

  @Override
  protected void end(@Nullable Throwable thrown) {
    closeScope();
    endSpan(thrown);
  }

  @Override
  protected void endWith(@Nullable Object future, @Nullable Throwable thrown) {
    closeScope();
    if (span == null) {
      return;
    }
    if (future == null || thrown != null) {
      endSpan(thrown);
      return;
    }
    try {
      method.futureEnd().whenComplete(future, this::endSpan);
    } catch (Throwable t) {
      // A future that takes no listener: its end cannot be seen, the method's can.
      TraceHook.failed(t);
      endSpan(null);
    }
  }

  /**
   * A scope that the method opened and forgot makes the API ignore our closing; then the ended
   * span, or suppression, would stay on the thread for whatever runs there next.
   */
  @SuppressWarnings("MustBeClosedChecker") // there is no scope to close any more
  private void closeScope() {
    try {
      scope.close();
      Context left = Context.current();
      if (left != before
          && (span == null ? TraceContext.isSuppressed(left) : isCurrent(span, left))) {
        before.makeCurrent();
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }

  /** By its ids: opentelemetry-javaagent hands out another object each time. */
  private static boolean isCurrent(Span span, Context context) {
    return Span.fromContext(context).getSpanContext().equals(span.getSpanContext());
  }

  private void endSpan(@Nullable Throwable thrown) {
    if (span == null) {
      return;
    }
    try {
      if (thrown != null) {
        if (!method.expects(thrown)) {
          span.setStatus(StatusCode.ERROR);
        }
        span.recordException(thrown);
      }
    } catch (Throwable t) {
      // The exception's own getMessage or printStackTrace threw; the status stands.
      TraceHook.failed(t);
    }
    try {
      if (received == null) {
        span.end();
      } else {
        received.executed();
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }
}
