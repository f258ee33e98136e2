package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.internal.WorkerSpanContext;
import org.jspecify.annotations.Nullable;

/**
 * A call of a worker method between its start and its return, both on one thread. Where the span is
 * one of ours, it is the context inside as well, which saves an object and its array.
 */
public final class WorkerCall extends TraceHook.Call implements Context {

  /** Under which a context keeps its span, which the API does not tell. */
  private static final ContextKey<?> SPAN = KeyOfSpan.find();

  private static final ContextKey<?> WORKER = WorkerSpanContext.key();

  private final WorkerMethod method;

  private final Span span;

  /**
   * What else is in the context; never another call, or calls that hand work on from one to the
   * next would hold each other.
   */
  private final Context base;

  /** The child of the method's own code, where each call is to have one. */
  private @Nullable Span exec;

  /** The call from another process that this is the method of; it ends the span. */
  private @Nullable ReceivedCall received;

  /** Null once the call is over: a task that took its context along must not hold what was. */
  private @Nullable Context before;

  private @Nullable Scope scope;

  private WorkerCall(WorkerMethod method, Span span, Context before, Context base) {
    this.method = method;
    this.span = span;
    this.before = before;
    this.base = base;
  }

  /** A call that makes the given context current until {@link #end} or {@link #endWith}. */
  @SuppressWarnings("MustBeClosedChecker") // those close it
  static WorkerCall in(Context context, WorkerMethod method, Span span, Context before) {
    WorkerCall call = new WorkerCall(method, span, before, Context.root());
    call.scope = context.makeCurrent();
    return call;
  }

  /** The same with a child for the method's own code, which is current in the context. */
  static WorkerCall in(Context context, WorkerMethod method, Span span, Span exec, Context before) {
    WorkerCall call = in(context, method, span, before);
    call.exec = exec;
    return call;
  }

  /** The same for the method of a call from another process, which ends the span. */
  static WorkerCall in(
      Context context, WorkerMethod method, Span span, Context before, ReceivedCall received) {
    WorkerCall call = in(context, method, span, before);
    call.received = received;
    return call;
  }

  /** A call that is its own context: the base with the span. */
  @SuppressWarnings("MustBeClosedChecker") // as above
  static WorkerCall with(Span span, WorkerMethod method, Context before, Context base) {
    WorkerCall call =
        new WorkerCall(method, span, before, base instanceof WorkerCall outer ? outer.base : base);
    call.scope = call.makeCurrent();
    return call;
  }

  /** Throws where this copy of the API would not find a call's span in its context. */
  public static void checkKey(Span span, Context context) {
    if (context.with(span).get(SPAN) != span) {
      throw new IllegalStateException("spans lie in contexts by another key");
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the key's own type
  public <V> @Nullable V get(ContextKey<V> key) {
    return key == SPAN || key == WORKER ? (V) span : base.get(key);
  }

  @Override
  public <V> Context with(ContextKey<V> key, V value) {
    Context inside = WorkerSpanContext.with(base, span);
    return key == SPAN ? inside.with(key, value) : inside.with(span).with(key, value);
  }

  /** The span, if it takes attributes. */
  public @Nullable Span recording() {
    return span.isRecording() ? span : null;
  }

  @Override
  protected void end(@Nullable Throwable thrown) {
    closeScope(thrown);
    endSpan(thrown);
  }

  @Override
  protected void endWith(@Nullable Object future, @Nullable Throwable thrown) {
    closeScope(thrown);
    if (future == null || thrown != null) {
      endSpan(thrown);
      return;
    }
    try {
      method.futureCompletion().whenComplete(future, this::endSpan);
    } catch (Throwable t) {
      // A future that takes no listener: its end cannot be seen, the method's can.
      TraceHook.failed(t);
      endSpan(null);
    }
  }

  /**
   * A scope that the method opened and forgot makes the API ignore our closing; then the ended span
   * would stay on the thread for whatever runs there next. So does a scope of a call further in
   * that had no stack left to close it.
   */
  @SuppressWarnings("MustBeClosedChecker") // there is no scope to close any more
  private void closeScope(@Nullable Throwable thrown) {
    Scope opened = scope;
    Context outer = before;
    if (opened == null || outer == null) {
      return;
    }
    scope = null;
    before = null;
    try {
      opened.close();
      Context left = Context.current();
      if (left != outer
          && (thrown instanceof StackOverflowError
              || left instanceof WorkerCall
              || isCurrent(exec == null ? span : exec, left))) {
        outer.makeCurrent();
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
    try {
      if (exec != null) {
        exec.end();
      }
      if (thrown != null) {
        if (!method.expects(thrown)) {
          span.setStatus(StatusCode.ERROR);
        }
        method.exceptions().record(span, thrown);
      }
    } catch (Throwable t) {
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

  @Override
  public String toString() {
    return "{" + span + ", " + base + "}";
  }

  /** Takes note of the key by which it is given a span. */
  private static final class KeyOfSpan implements Context {

    private @Nullable ContextKey<?> key;

    static ContextKey<?> find() {
      KeyOfSpan context = new KeyOfSpan();
      context.with(Span.getInvalid());
      if (context.key == null) {
        throw new IllegalStateException("spans lie in no context");
      }
      return context.key;
    }

    @Override
    public <V> @Nullable V get(ContextKey<V> ignored) {
      return null;
    }

    @Override
    public <V> Context with(ContextKey<V> given, V value) {
      key = given;
      return this;
    }
  }
}
