package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.internal.ActivationKey;
import io.rollotel.telemetry.internal.WorkerSpanContext;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A call of a worker method between its start and its return, both on one thread. If the span is
 * our own, this object is also the context inside, which saves an object and its array.
 */
public class WorkerCall extends TraceHook.Call implements Context {

  /** The key of the span in a context, which the API does not expose. */
  private static final ContextKey<?> SPAN = KeyOfSpan.find();

  private static final ContextKey<?> WORKER = WorkerSpanContext.key();

  /** The key of the call in the contexts of its own code. */
  private static final ContextKey<WorkerCall> CALL = ContextKey.named("roll-otel-call");

  private final WorkerMethod method;

  private final Span span;

  /**
   * The rest of the context. It is never another call, because calls that pass work on from one to
   * the next would keep each other alive. For a call that is not its own context, it is that
   * context.
   */
  private Context base;

  /** The last child {@code exec} of the call; null if it has had none. */
  private @Nullable ExecSpan exec;

  /** Null once the call is over: a task that keeps its context must not keep the rest. */
  private @Nullable Context before;

  /** As the one before. */
  private @Nullable Thread thread;

  private @Nullable Scope scope;

  private WorkerCall(WorkerMethod method, Span span, Context before, Context base) {
    this.method = method;
    this.span = span;
    this.before = before;
    this.base = base;
    thread = Thread.currentThread();
  }

  private static WorkerCall of(WorkerMethod method, Span span, Context before, Context base) {
    return method.isMeasured()
        ? Measured.make(method, span, before, base)
        : new WorkerCall(method, span, before, base);
  }

  /** A call that makes the given context current until {@link #end} or {@link #endWith}. */
  @SuppressWarnings("MustBeClosedChecker") // those close it
  static WorkerCall in(Context context, WorkerMethod method, Span span, Context before) {
    WorkerCall call = of(method, span, before, context);
    call.base = context.with(CALL, call);
    call.scope = call.base.makeCurrent();
    return call;
  }

  /**
   * The same for the method of a call from another process, which ends the span. Its phases are the
   * executor's.
   */
  @SuppressWarnings("MustBeClosedChecker") // as above
  static WorkerCall in(
      Context context, WorkerMethod method, Span span, Context before, ReceivedCall received) {
    WorkerCall call = new OfReceived(method, span, before, context, received);
    call.scope = context.makeCurrent();
    return call;
  }

  /** A call that is its own context: the base, with the span. */
  @SuppressWarnings("MustBeClosedChecker") // as above
  static WorkerCall with(Span span, WorkerMethod method, Context before, Context base) {
    WorkerCall call =
        of(method, span, before, base instanceof WorkerCall outer ? outer.base : base);
    call.scope = call.makeCurrent();
    return call;
  }

  /** The call whose own code runs on this thread, outside of spans made by hand; otherwise null. */
  static @Nullable WorkerCall inOwnCode(Context current) {
    WorkerCall call = current.get(CALL);
    if (call == null || call.thread != Thread.currentThread()) {
      return null;
    }
    ExecSpan executing = call.exec;
    Context own = executing != null && executing.isOpen() ? executing.context : call.inside();
    return current == own ? call : null;
  }

  /** The context inside the call, with the worker's span. */
  Context inside() {
    return base.get(CALL) == this ? base : this;
  }

  /** The method's own code runs from here on. */
  void executes(Tracer tracer) {
    Context inside = inside();
    exec = new ExecSpan(tracer, inside == this ? inside.with(CALL, this) : inside);
  }

  /** The method's own code calls a phase. */
  void phaseBegins(String name) {
    ExecSpan executing = exec;
    if (executing != null && executing.isOpen()) {
      executing.close();
      executing.end(null, method);
    } else if (executing == null && !name.equals(PhaseMethod.PREFETCH)) {
      method.storesWithoutExec();
    }
  }

  /** Throws if this copy of the API would not find a call's span in its context. */
  public static void checkKey(Span span, Context context) {
    if (context.with(span).get(SPAN) != span) {
      throw new IllegalStateException("spans lie in contexts by another key");
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the key's own type
  public <V> @Nullable V get(ContextKey<V> key) {
    return key == SPAN || key == WORKER ? (V) span : key == CALL ? (V) this : base.get(key);
  }

  @Override
  public <V> Context with(ContextKey<V> key, V value) {
    Context inside = WorkerSpanContext.with(base, span);
    return key == SPAN ? inside.with(key, value) : inside.with(span).with(key, value);
  }

  /** The span, if it accepts attributes; ours does until it ends, and its lock costs time. */
  public @Nullable Span recording() {
    return span instanceof WorkerMethodSpan || span.isRecording() ? span : null;
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
      method.returned(span);
      method.futureCompletion().whenComplete(future, this::endSpan);
    } catch (Throwable t) {
      // The future takes no listener. Its completion is invisible, so the span ends with the
      // method.
      TraceHook.failed(t);
      endSpan(null);
    }
  }

  /**
   * If the method left a scope open, the API ignores our closing, and the ended span would stay
   * current on the thread. The same happens if an inner call had no stack left to close its scope.
   */
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  private void closeScope(@Nullable Throwable thrown) {
    Scope opened = scope;
    Context outer = before;
    if (opened == null || outer == null) {
      return;
    }
    ExecSpan executing = exec;
    scope = null;
    before = null;
    thread = null;
    try {
      if (executing != null && executing.isOpen()) {
        executing.close();
      }
      opened.close();
      Context left = Context.current();
      if (left != outer) {
        if (thrown instanceof StackOverflowError
            || left instanceof WorkerCall
            || isCurrent(executing == null ? span : executing.span, left)) {
          outer.makeCurrent();
        } else {
          tellStep(left, outer, executing);
        }
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }

  /** A step of a run was left open in the method: its thread must not return to this call. */
  private void tellStep(Context left, Context outer, @Nullable ExecSpan executing) {
    BiConsumer<Object, Object> step = left.get(ActivationKey.get());
    if (step != null) {
      if (executing != null) {
        step.accept(executing.context, outer);
      }
      step.accept(inside(), outer);
    }
  }

  /** Compares ids, because opentelemetry-javaagent returns a new object each time. */
  private static boolean isCurrent(Span span, Context context) {
    return Span.fromContext(context).getSpanContext().equals(span.getSpanContext());
  }

  private void endSpan(@Nullable Throwable thrown) {
    try {
      if (thrown != null) {
        method.record(span, thrown);
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
    try {
      ExecSpan executing = exec;
      if (executing != null) {
        executing.end(thrown, method); // after the worker's span, which has the stack trace
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
    try {
      endWorker(thrown);
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }

  final WorkerMethod method() {
    return method;
  }

  final Span span() {
    return span;
  }

  /** Ends the worker's span. */
  void endWorker(@Nullable Throwable thrown) {
    span.end();
  }

  @Override
  public String toString() {
    return base.get(CALL) == this ? "{" + span + "}" : "{" + span + ", " + base + "}";
  }

  /** A measured call. It has its own class, so that other calls stay eight bytes smaller. */
  private static final class Measured extends WorkerCall {

    private final long startNanos = System.nanoTime();

    private Measured(WorkerMethod method, Span span, Context before, Context base) {
      super(method, span, before, base);
    }

    /** Returns the base type, otherwise the JVM would load this class to verify the caller. */
    static WorkerCall make(WorkerMethod method, Span span, Context before, Context base) {
      return new Measured(method, span, before, base);
    }

    @Override
    void endWorker(@Nullable Throwable thrown) {
      super.endWorker(thrown);
      method().ended(span(), startNanos, thrown, this);
    }
  }

  /** The method of a call from another process. */
  private static final class OfReceived extends WorkerCall {

    private final ReceivedCall received;
    private final Context inside;

    OfReceived(
        WorkerMethod method, Span span, Context before, Context inside, ReceivedCall received) {
      super(method, span, before, Context.root());
      this.received = received;
      this.inside = inside;
    }

    @Override
    Context inside() {
      return inside;
    }

    @Override
    void endWorker(@Nullable Throwable thrown) {
      received.executed(thrown, method());
    }
  }

  /** Records the key with which it receives a span. */
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
