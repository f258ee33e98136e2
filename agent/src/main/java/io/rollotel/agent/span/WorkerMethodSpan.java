package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.internal.InstrumentationScopeUtil;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.internal.ExtendedSpanProcessor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The span of a worker call on the agent's own SDK, always sampled. Mirrors the observable
 * behaviour of the SDK's {@code SdkSpan}; {@code WorkerMethodSpanTest} compares the two. It creates
 * nothing that a usual call never uses: ids are numbers until their text is requested, attributes
 * that are the same for all calls of the method are stored once, and there is neither an attribute
 * map nor a builder.
 */
public final class WorkerMethodSpan extends SpanIds implements ReadWriteSpan {

  /** From the sender's dispatch to the start of the span; negative if clocks disagree. */
  static final AttributeKey<Long> QUEUE_NANOS = AttributeKey.longKey("roll.queue_ns");

  /**
   * The facts that all calls of a method share.
   *
   * @param constants attributes that each of its spans starts with
   * @param facts for the recorder
   */
  public record Kind(
      WorkerTracer tracer, String name, SpanKind kind, Attributes constants, long facts) {

    public Kind(WorkerTracer tracer, String name, SpanKind kind, Attributes constants) {
      this(tracer, name, kind, constants, tracer.recorder().facts(name, kind));
    }
  }

  private enum State {
    LIVE,
    ENDING,
    ENDED
  }

  private final Kind kind;

  /**
   * The offset from the monotonic clock to epoch nanoseconds; the same for all spans of a local
   * trace.
   */
  private final long offsetNanos;

  private final long startEpochNanos;

  /**
   * Below a sender: the time of its dispatch, in epoch nanoseconds. Otherwise: the span id of the
   * sender of the enclosing call. Zero if there is none. Two fields would cost eight bytes more per
   * call.
   */
  private final long ofSender;

  private final int recorderSlot;

  // Guarded by this.
  private @Nullable String newName;
  private @Nullable WorkerAttributes attributes;
  private @Nullable SpanEventsAndLinks more;
  private StatusData status = StatusData.unset();
  private long endEpochNanos;
  private State state = State.LIVE;

  /** The only thread that may change the span while its processor handles the end. */
  private @Nullable Thread endingThread;

  private WorkerMethodSpan(
      Kind kind,
      long traceHigh,
      long traceLow,
      long parentSpanId,
      boolean remoteParent,
      @Nullable SpanContext parent,
      @Nullable WorkerMethodSpan local,
      long ofSender) {
    super(traceHigh, traceLow, kind.tracer.ids().spanId(), parentSpanId, remoteParent, parent);
    this.kind = kind;
    this.ofSender = ofSender;
    AnchoredClock clock = kind.tracer.clock();
    long nanoTime = clock.nanoTime();
    offsetNanos = local == null ? clock.offsetNanos(nanoTime) : local.offsetNanos;
    startEpochNanos = offsetNanos + nanoTime;
    recorderSlot = kind.tracer.recorder().started(this);
  }

  /**
   * A new trace.
   *
   * @param above invalid, with the trace's state
   */
  static WorkerMethodSpan root(Kind kind, long traceHigh, long traceLow, SpanContext above) {
    return new WorkerMethodSpan(kind, traceHigh, traceLow, 0, false, above, null, 0);
  }

  /** A new trace, always sampled. */
  public static WorkerMethodSpan root(Kind kind) {
    OsSeededIdGenerator ids = kind.tracer.ids();
    return new WorkerMethodSpan(
        kind, ids.traceHigh(), ids.traceLow(), 0, false, SpanContext.getInvalid(), null, 0);
  }

  /**
   * Below a sender, which is sampled.
   *
   * @param sentAtEpochNanos when it dispatched; 0 if unknown
   */
  public static WorkerMethodSpan below(Kind kind, Traceparent sender, long sentAtEpochNanos) {
    return new WorkerMethodSpan(
        kind,
        sender.traceHigh(),
        sender.traceLow(),
        sender.spanId(),
        true,
        null,
        null,
        sentAtEpochNanos);
  }

  /**
   * Below any span, which is valid and sampled.
   *
   * @param around the current context at the start. It knows the sender if the parent does not
   */
  public static WorkerMethodSpan below(Kind kind, Span parent, Context around) {
    if (parent instanceof WorkerMethodSpan worker) {
      boolean isText = worker.traceOf() != null || worker.hasState();
      return new WorkerMethodSpan(
          kind,
          worker.traceHigh(),
          worker.traceLow(),
          worker.spanId(),
          false,
          isText ? worker.getSpanContext() : null,
          worker,
          worker.senderSpanId());
    }
    return new WorkerMethodSpan(
        kind, 0, 0, 0, false, parent.getSpanContext(), null, PassedOn.senderSpanId(around));
  }

  /** Call it once, before any other code sees the span. */
  void start(Context parentContext) {
    kind.tracer.processor().onStart(parentContext, this);
  }

  @Override
  public SpanKind getKind() {
    return kind.kind;
  }

  @Override
  public InstrumentationScopeInfo getInstrumentationScopeInfo() {
    return kind.tracer.scope();
  }

  @Override
  @Deprecated
  public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
    return InstrumentationScopeUtil.toInstrumentationLibraryInfo(kind.tracer.scope());
  }

  Resource resource() {
    return kind.tracer.resource();
  }

  long startEpochNanos() {
    return startEpochNanos;
  }

  /**
   * The span id of the sender of this call, or of the enclosing one; 0 if there is none, or only
   * the context knows it.
   */
  long senderSpanId() {
    return isRemoteParent() ? parentSpanId() : ofSender;
  }

  /** Of its start, for the recorder. */
  long facts() {
    return kind.facts;
  }

  /** The span's slot among the recorder's open spans. */
  int recorderSlot() {
    return recorderSlot;
  }

  /**
   * The new name, if it was renamed. Like the next two methods, only for the thread that ended the
   * span, after its end.
   */
  @Nullable String newNameAtEnd() {
    return newName;
  }

  StatusCode statusAtEnd() {
    return status.getStatusCode();
  }

  public long endEpochNanos() {
    return endEpochNanos;
  }

  /** Like {@code span.getSpanContext().isSampled()}, without asking for the context. */
  public static boolean isSampled(ReadableSpan span) {
    return span instanceof WorkerMethodSpan || span.getSpanContext().isSampled();
  }

  @Override
  public synchronized String getName() {
    return newName == null ? kind.name : newName;
  }

  @Override
  public synchronized boolean hasEnded() {
    return state == State.ENDED;
  }

  @Override
  public synchronized boolean isRecording() {
    return state != State.ENDED;
  }

  @Override
  public synchronized long getLatencyNanos() {
    return (state == State.LIVE ? now() : endEpochNanos) - startEpochNanos;
  }

  @Override
  public synchronized <T> @Nullable T getAttribute(AttributeKey<T> key) {
    return attributes().get(key);
  }

  @Override
  public synchronized Attributes getAttributes() {
    return attributes().copy();
  }

  @Override
  public synchronized SpanData toSpanData() {
    boolean ended = state == State.ENDED;
    WorkerAttributes all = attributes();
    SpanEventsAndLinks added = more == null ? SpanEventsAndLinks.NONE : more;
    return new WorkerMethodSpanData(
        this,
        getName(),
        status,
        // An ended span does not change any more.
        all.isEmpty() ? Attributes.empty() : ended ? all : all.copy(),
        all.totalAdded(),
        ended ? added : added.copy(),
        endEpochNanos,
        ended);
  }

  @Override
  public <T> ReadWriteSpan setAttribute(@Nullable AttributeKey<T> key, @Nullable T value) {
    if (key == null || key.getKey().isEmpty() || value == null) {
      return this;
    }
    synchronized (this) {
      if (isModifiable()) {
        attributes().put(key, value);
      }
    }
    return this;
  }

  @Override
  public ReadWriteSpan addEvent(@Nullable String name) {
    return name == null ? this : addEvent(EventData.create(now(), name, Attributes.empty(), 0));
  }

  @Override
  public ReadWriteSpan addEvent(@Nullable String name, long timestamp, @Nullable TimeUnit unit) {
    return name == null || unit == null
        ? this
        : addEvent(EventData.create(unit.toNanos(timestamp), name, Attributes.empty(), 0));
  }

  @Override
  public ReadWriteSpan addEvent(@Nullable String name, @Nullable Attributes given) {
    return name == null ? this : addEvent(name, given, now());
  }

  @Override
  public ReadWriteSpan addEvent(
      @Nullable String name, @Nullable Attributes given, long timestamp, @Nullable TimeUnit unit) {
    return name == null || unit == null ? this : addEvent(name, given, unit.toNanos(timestamp));
  }

  private ReadWriteSpan addEvent(String name, @Nullable Attributes given, long epochNanos) {
    return addEvent(SpanEventsAndLinks.event(kind.tracer.limits(), name, given, epochNanos));
  }

  private synchronized ReadWriteSpan addEvent(EventData event) {
    if (isModifiable()) {
      more().add(event, kind.tracer.limits());
    }
    return this;
  }

  @Override
  public ReadWriteSpan recordException(Throwable exception) {
    return recordException(exception, Attributes.empty());
  }

  @Override
  public ReadWriteSpan recordException(
      @Nullable Throwable exception, @Nullable Attributes additional) {
    return exception == null
            || hasEnded() // the stack trace is printed once, for a span that keeps it
        ? this
        : addEvent(SpanEventsAndLinks.exception(kind.tracer, exception, additional, now()));
  }

  @Override
  public ReadWriteSpan addLink(@Nullable SpanContext to, @Nullable Attributes given) {
    if (to == null || !to.isValid()) {
      return this;
    }
    LinkData link = SpanEventsAndLinks.link(kind.tracer.limits(), to, given);
    synchronized (this) {
      if (isModifiable()) {
        more().add(link, kind.tracer.limits());
      }
    }
    return this;
  }

  @Override
  public synchronized ReadWriteSpan setStatus(
      @Nullable StatusCode code, @Nullable String description) {
    // OK is final, and nothing becomes unset again.
    if (code != null
        && code != StatusCode.UNSET
        && status.getStatusCode() != StatusCode.OK
        && isModifiable()) {
      status = StatusData.create(code, code == StatusCode.ERROR ? description : null);
    }
    return this;
  }

  @Override
  public synchronized ReadWriteSpan updateName(@Nullable String name) {
    if (name != null && isModifiable()) {
      newName = name;
    }
    return this;
  }

  @Override
  public void end() {
    endAt(now());
  }

  @Override
  public void end(long timestamp, @Nullable TimeUnit unit) {
    endAt(timestamp == 0 ? now() : (unit == null ? TimeUnit.NANOSECONDS : unit).toNanos(timestamp));
  }

  private void endAt(long epochNanos) {
    ExtendedSpanProcessor ending = kind.tracer.endingProcessor();
    synchronized (this) {
      if (state != State.LIVE) {
        return;
      }
      endEpochNanos = epochNanos;
      endingThread = ending == null ? null : Thread.currentThread();
      state = ending == null ? State.ENDED : State.ENDING;
    }
    if (ending != null) {
      ending.onEnding(this);
      synchronized (this) {
        endingThread = null;
        state = State.ENDED;
      }
    }
    kind.tracer.recorder().ended(this);
    if (kind.tracer.isEndRequired()) {
      kind.tracer.processor().onEnd(this);
    }
  }

  private long now() {
    return offsetNanos + kind.tracer.clock().nanoTime();
  }

  /** Under the lock. */
  private boolean isModifiable() {
    return state == State.LIVE || (state == State.ENDING && Thread.currentThread() == endingThread);
  }

  /** Under the lock. Creates the initial attributes now that they are needed. */
  private WorkerAttributes attributes() {
    WorkerAttributes known = attributes;
    if (known == null) {
      known = new WorkerAttributes(kind.tracer.limits());
      kind.constants.forEach(known::put);
      if (isRemoteParent() && ofSender != 0) {
        known.put(QUEUE_NANOS, startEpochNanos - ofSender);
      }
      attributes = known;
    }
    return known;
  }

  /** Under the lock. */
  private SpanEventsAndLinks more() {
    SpanEventsAndLinks known = more;
    if (known == null) {
      known = new SpanEventsAndLinks();
      more = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return "WorkerMethodSpan{" + getSpanContext() + ", name=" + getName() + "}";
  }
}
