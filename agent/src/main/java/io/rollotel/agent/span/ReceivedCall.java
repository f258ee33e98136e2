package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.telemetry.internal.Propagation;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call from another process while it is executed: current on its thread, so that all spans inside
 * are its children.
 *
 * <p>If the executed method is itself a worker method, its span also covers the phases before and
 * after the method, as in ROLL: the children {@code prefetch}, {@code exec} and {@code to_remote}.
 */
public final class ReceivedCall extends RemoteSpan {

  private static final ContextKey<ReceivedCall> KEY = ContextKey.named("roll-otel-received");

  /** False before the first one, so that worker methods need not look for one. */
  private static volatile boolean used;

  /** As for worker methods: from the sender's call to the start. */
  private static final AttributeKey<Long> QUEUE_NANOS = AttributeKey.longKey("roll.queue_ns");

  private final Tracers tracers;
  private final String function;
  private final Context before;
  private final @Nullable Span span;
  private final Scope scope;
  private final Thread thread = Thread.currentThread();

  // The last phase that the executor reported: its name, start and end.
  private String phase = "";
  private long phaseStartEpochNanos;
  private long phaseEndEpochNanos;

  private boolean claimed;
  private @Nullable Span worker;
  private @Nullable Span exec;

  // For a measured method that has returned while its span is open: its start, and the exception it
  // threw.
  private @Nullable WorkerMethod executed;
  private long startNanos;
  private @Nullable Throwable thrown;

  @SuppressWarnings("MustBeClosedChecker") // end closes it
  private ReceivedCall(
      Tracers tracers, String function, Context before, Context parent, @Nullable Span span) {
    this.tracers = tracers;
    this.function = function;
    this.before = before;
    this.span = span;
    Context inside = span == null ? parent : parent.with(span);
    scope = inside.with(KEY, this).makeCurrent();
  }

  public static ReceivedCall start(
      Tracers tracers,
      String name,
      String function,
      @Nullable String traceparent,
      long sentAtEpochNanos,
      @Nullable String rootTraceId) {
    used = true;
    Context before = Context.current();
    // The thread belongs to the executor: its current context has nothing to do with this call.
    Context root = Context.root();
    if (SUPPRESSED.equals(traceparent)) {
      return new ReceivedCall(tracers, function, before, tracers.suppress(root), null);
    }
    Context parent =
        traceparent == null ? root : Propagation.extract(Map.of("traceparent", traceparent), root);
    SpanBuilder builder =
        tracers.ray().spanBuilder(name).setParent(parent).setSpanKind(SpanKind.CONSUMER);
    if (sentAtEpochNanos != 0) {
      builder.setAttribute(QUEUE_NANOS, Propagation.epochNanos() - sentAtEpochNanos);
    }
    return new ReceivedCall(
        tracers, function, before, parent, OsSeededIdGenerator.start(builder, rootTraceId));
  }

  /**
   * The call that executes this method, if it runs on this thread and has not been claimed before.
   */
  static @Nullable ReceivedCall claim(Context current, String function) {
    ReceivedCall call = current.get(KEY);
    if (call == null
        || call.claimed
        || call.thread != Thread.currentThread()
        || !call.function.equals(function)) {
      return null;
    }
    call.claimed = true;
    return call;
  }

  /** Whether the current context belongs to a call from another process. */
  static boolean isIn(Context current) {
    return used && current.get(KEY) != null;
  }

  /**
   * Whether the context of a payload is from the sender of the call that is executed here: then the
   * call's own span is the nearer parent.
   */
  static boolean isInside(Context current, SpanContext fromPayload) {
    return Span.fromContext(current).getSpanContext().getTraceId().equals(fromPayload.getTraceId());
  }

  /**
   * Called before the span of the method starts, because the span begins with the preceding phase.
   */
  void shape(SpanBuilder builder) {
    if (phase.equals("prefetch")) {
      builder.setStartTimestamp(phaseStartEpochNanos, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * The method's own code begins; returns the context for it.
   *
   * @param isVoid whether there is no result; without a phase around it, the method is no phase
   *     itself
   */
  Context exec(Span newWorker, Context inside, boolean isVoid) {
    worker = newWorker;
    startNanos = System.nanoTime();
    if (phase.equals("prefetch")) {
      child(newWorker, inside);
    } else if (isVoid) {
      return inside;
    }
    Span started = tracers.worker().spanBuilder("exec").setParent(inside).startSpan();
    exec = started;
    return inside.with(started);
  }

  /**
   * The method's own code is over: its span ends with the phase after it.
   *
   * @param thrown what the method threw, if anything
   */
  void executed(@Nullable Throwable thrown, WorkerMethod method) {
    if (method.isMeasured()) {
      executed = method;
      this.thrown = thrown;
    }
    Span executing = exec;
    if (executing == null) {
      return;
    }
    try {
      if (thrown != null) {
        method.record(executing, thrown);
      }
    } finally {
      executing.end();
    }
  }

  /** The worker's span has ended. */
  private void ended(Span ended) {
    WorkerMethod method = executed;
    if (method != null) {
      executed = null;
      Throwable failure = thrown;
      thrown = null; // a task that still has the context must not hold it
      method.ended(ended, startNanos, failure, Context.root().with(ended));
    }
  }

  private void child(Span parent, Context inside) {
    tracers
        .worker()
        .spanBuilder(phase)
        .setParent(inside.with(parent))
        .setStartTimestamp(phaseStartEpochNanos, TimeUnit.NANOSECONDS)
        .startSpan()
        .end(phaseEndEpochNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void phase(String name) {
    if (name.isEmpty()) {
      phaseEndEpochNanos = Propagation.epochNanos();
      Span open = worker;
      if (phase.equals("to_remote") && open != null) {
        worker = null;
        child(open, Context.root());
        open.end(phaseEndEpochNanos, TimeUnit.NANOSECONDS);
        ended(open);
      }
    } else {
      phase = name;
      phaseStartEpochNanos = Propagation.epochNanos();
    }
  }

  @Override
  public boolean isRecording() {
    return span != null && span.isRecording();
  }

  @Override
  public String traceparent() {
    return "";
  }

  @Override
  public void set(String key, String value) {
    if (span != null && !value.isEmpty()) {
      span.setAttribute(StringKeys.of(key), value);
    }
  }

  @Override
  public void set(String key, long value) {
    if (span != null) {
      span.setAttribute(key, value);
    }
  }

  @Override
  public void failed(Throwable thrown) {
    if (span != null) {
      tracers.exceptions().fail(span, thrown);
    }
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  public void end(@Nullable Throwable thrown) {
    try {
      if (worker != null) {
        worker.end();
        ended(worker);
      }
      if (thrown != null) {
        failed(thrown);
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
    scope.close();
    // Executors reuse their threads: no open scope may stay on them.
    if (Context.current() != before) {
      before.makeCurrent();
    }
    if (span != null) {
      span.end();
    }
  }
}
