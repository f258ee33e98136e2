package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.telemetry.internal.Suppression;
import io.rollotel.telemetry.internal.WorkerSpanContext;
import org.jspecify.annotations.Nullable;

/**
 * A linked {@code @Phase} method: inside a worker call, it has a span named after the phase. If the
 * worker's own code calls it, the span is the worker's child, and {@code exec} ends before it.
 */
public final class PhaseMethod {

  static final String PREFETCH = "prefetch";

  private static final AttributeKey<String> FUNCTION = AttributeKey.stringKey("code.function.name");

  private final Tracers tracers;
  private final String name;
  private final String function;
  private final FutureCompletion futureCompletion;

  public PhaseMethod(Tracers tracers, WovenMethod method) {
    this.tracers = tracers;
    name = method.spanName();
    function = method.className() + "." + method.name();
    futureCompletion = FutureCompletion.of(method.returnType());
  }

  /** Never throws. Null for a call that is in no worker call, or in a suppressed one. */
  public @Nullable Object start() {
    Context current = Context.current();
    try {
      if (Suppression.isSuppressed(current) || current.get(WorkerSpanContext.key()) == null) {
        return null;
      }
      WorkerCall worker = WorkerCall.inOwnCode(current);
      Context around = current;
      if (worker != null) {
        worker.phaseBegins(name);
        around = worker.inside();
      }
      Span span =
          tracers
              .worker()
              .spanBuilder(name)
              .setParent(around)
              .setAttribute(FUNCTION, function)
              .startSpan();
      return new Call(span, around.with(span), around, worker);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  /** From the method's start to its return, on one thread. */
  private final class Call extends TraceHook.Call {

    private final Span span;
    private final Context inside;
    private final Context before;
    private final Scope scope;
    private final @Nullable WorkerCall worker;

    @SuppressWarnings("MustBeClosedChecker") // leave closes it
    Call(Span span, Context inside, Context before, @Nullable WorkerCall worker) {
      this.span = span;
      this.inside = inside;
      this.before = before;
      this.worker = worker;
      scope = inside.makeCurrent();
    }

    @Override
    protected void end(@Nullable Throwable thrown) {
      leave(thrown);
      endSpan(thrown);
    }

    @Override
    protected void endWith(@Nullable Object future, @Nullable Throwable thrown) {
      leave(thrown);
      if (future == null || thrown != null) {
        endSpan(thrown);
        return;
      }
      try {
        futureCompletion.whenComplete(future, this::endSpan);
      } catch (Throwable t) {
        TraceHook.failed(t); // a future without listeners: the span ends with the method
        endSpan(null);
      }
    }

    /** Also closes scopes that the method left open, as in {@link WorkerCall}. */
    @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
    private void leave(@Nullable Throwable thrown) {
      try {
        scope.close();
        Context left = Context.current();
        if (left != before && (thrown instanceof StackOverflowError || left == inside)) {
          before.makeCurrent();
        }
        if (worker != null && thrown == null && name.equals(PREFETCH)) {
          worker.executes(tracers.worker());
        }
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }

    private void endSpan(@Nullable Throwable thrown) {
      try {
        if (thrown != null) {
          tracers.exceptions().fail(span, thrown);
        }
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
      try {
        span.end();
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }
}
