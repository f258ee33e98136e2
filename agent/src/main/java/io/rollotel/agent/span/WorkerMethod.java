package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.ExecSpans;
import io.rollotel.agent.settings.NoContext;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.telemetry.internal.Propagation;
import io.rollotel.telemetry.internal.RunIds;
import io.rollotel.telemetry.internal.Suppression;
import io.rollotel.telemetry.internal.WorkerSpanContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A linked {@code @Register} method: decides by the table in docs/concepts.md what becomes of a
 * call.
 *
 * <p>Mirrors {@code inner} in ROLL's {@code decorator.py}.
 */
public final class WorkerMethod {

  private static final AttributeKey<String> FUNCTION = AttributeKey.stringKey("code.function.name");

  /** The time from the start of a method to its return, if its span ends with a future. */
  private static final AttributeKey<Long> RETURNED_NANOS = AttributeKey.longKey("roll.returned_ns");

  private static final @Nullable Map<?, ?>[] NONE = new Map<?, ?>[0];

  /** A turn of the driver's loop, which is no call of a worker: in ROLL it has no exec. */
  private static final String STEP = "pipeline_step";

  private final Tracers tracers;
  private final Ledger.Entry entry;
  private final String spanName;
  private final SpanKind kind;
  private final String function;
  private final boolean traced;
  private final boolean isVoid;
  private final NoContext noContext;
  private final boolean alwaysExec;
  private final TextLimit textLimit;
  private final @Nullable BaggageAttributes baggage;
  private final List<Class<?>> expected;
  private final FutureCompletion futureCompletion;
  private final boolean isProfiled;

  /** Null if they are off. */
  private final @Nullable CallDurations durations;

  /** Whether calls begin with {@code exec}. Any thread may see any value. */
  private boolean execFirst;

  /** For the tracer of the last call; immutable, so any thread may see any. */
  private WorkerMethodSpan.@Nullable Kind spans;

  /**
   * @param entry where calls without a span are counted
   * @param loader the loader of the method's class
   */
  public WorkerMethod(
      Tracers tracers,
      WovenMethod method,
      Settings settings,
      Ledger.Entry entry,
      @Nullable ClassLoader loader) {
    this.tracers = tracers;
    this.entry = entry;
    spanName = method.spanName();
    kind = SpanKind.valueOf(method.kind());
    function = method.className() + "." + method.name();
    traced = method.traced();
    isVoid = method.returnType().equals("void");
    noContext = settings.noContext();
    alwaysExec = settings.exec() == ExecSpans.ALWAYS && !spanName.equals(STEP);
    execFirst = alwaysExec;
    textLimit = new TextLimit(settings.attributeLength());
    baggage = BaggageAttributes.of(settings);
    expected = expected(method, loader);
    futureCompletion = FutureCompletion.of(method.returnType());
    isProfiled = settings.profile() != null;
    durations =
        settings.measuresCalls()
            ? new CallDurations(tracers, Attributes.of(FUNCTION, function))
            : null;
  }

  /** A call of a method that has no carrier parameter. Never throws. */
  public @Nullable Object startWithoutCarrier() {
    return start(false, null, NONE);
  }

  /** A call with the meta_info of its carrier, or null if the argument has none. Never throws. */
  public @Nullable Object start(@Nullable Map<String, ?> metaInfo) {
    return start(true, metaInfo, NONE);
  }

  /**
   * A call with the meta_info of several carriers: the first one present supplies the parent, the
   * others become links. Never throws.
   */
  @SuppressWarnings("unchecked") // by the contract of meta_info
  public @Nullable Object startWithMany(@Nullable Map<?, ?>[] metaInfos) {
    Map<?, ?> first = null;
    for (int i = 0; first == null && i < metaInfos.length; i++) {
      first = metaInfos[i];
    }
    return start(true, (Map<String, ?>) first, metaInfos);
  }

  /**
   * Decides whether there is a span, and its parent; makes a WorkerMethodSpan if possible.
   *
   * <p>Deliberately a single method. HotSpot compiles a method of this length (its {@code
   * FreqInlineSize}) once, and copies no part of it into each method that calls it: code of a
   * thousand woven methods would not stay in the processor's caches, and a call would cost twice as
   * much.
   */
  private @Nullable Object start(
      boolean carries, @Nullable Map<String, ?> metaInfo, @Nullable Map<?, ?>[] all) {
    Context current = Context.current();
    try {
      if (!traced) {
        return suppress(current);
      }
      boolean isSuppressed = Suppression.isSuppressed(current);
      if (isSuppressed && noContext != NoContext.SUPPRESS) {
        return null;
      }
      Object carrier = Propagation.carrier(metaInfo);
      Context base = current;
      if (noContext == NoContext.SUPPRESS) {
        // ROLL starts from an empty context and ignores the thread's current one.
        if (carrier == null) {
          return suppress(current);
        }
        base = isSuppressed ? Suppression.release(Context.root()) : Context.root();
      } else if (carrier == null
          && carries
          && noContext == NoContext.LOCAL
          && !isValid(Span.fromContext(current))) {
        return suppress(current);
      }
      boolean isReceived = ReceivedCall.isIn(current);
      Tracer tracer = tracers.worker();
      if (carrier != null && TraceHook.asksForRun()) {
        TraceHook.receivedFrom(RunIds.of(carrier));
      }
      if (!(tracer instanceof WorkerTracer ours)
          || !ours.followsParent()
          || all.length > 1
          || baggage != null
          || execFirst
          || isReceived) {
        return sdkSpan(current, base, carrier, all, tracer, isReceived);
      }
      Span span = null;
      Traceparent sender = carrier == null ? null : Traceparent.of(carrier);
      if (sender != null && PassedOn.isFrom(sender, base)) {
        carrier = null;
      }
      if (carrier == null) {
        Span parent = Span.fromContext(base);
        if (parent instanceof WorkerMethodSpan) {
          span = WorkerMethodSpan.below(spans(ours), parent, base);
        } else if (parent instanceof NonRecordingSpan unsampled) {
          ours.sampledOut();
          span = unsampled.below();
        } else {
          SpanContext context = parent.getSpanContext();
          if (!context.isValid()) {
            span = ours.samplesRoots() ? ours.root(spans(ours)) : null;
          } else if (context.isSampled()) {
            span = WorkerMethodSpan.below(spans(ours), parent, base);
          }
        }
      } else {
        if (sender != null && sender.unsampled() != null) {
          ours.sampledOut();
          span = new NonRecordingSpan(sender.unsampled(), ours.ids());
        } else if (sender != null) {
          long sentAtEpochNanos = Propagation.sentAtEpochNanos(carrier);
          span = WorkerMethodSpan.below(spans(ours), sender, sentAtEpochNanos);
        }
      }
      if (span == null) { // only the API can read the sender, or the sampler must decide
        return sdkSpan(current, base, carrier, all, tracer, false);
      }
      if (span instanceof WorkerMethodSpan worker) {
        if (!entry.isRecorded()) {
          entry.setRecorded();
        }
        if (ours.isStartRequired()) {
          worker.start(carrier == null ? base : Propagation.extract(carrier, base));
        }
      }
      return WorkerCall.with(span, this, current, base);
    } catch (Throwable t) {
      return failed(t, current);
    }
  }

  /** Our own spans are all valid; this avoids creating their contexts. */
  private static boolean isValid(Span span) {
    return span instanceof WorkerMethodSpan || span.getSpanContext().isValid();
  }

  /**
   * A call with a span of an SDK's builder.
   *
   * @param base the context before the carrier's span is added
   * @param isReceived whether a call from another process is current
   */
  private WorkerCall sdkSpan(
      Context current,
      Context base,
      @Nullable Object carrier,
      @Nullable Map<?, ?>[] all,
      Tracer tracer,
      boolean isReceived) {
    Context parent = carrier == null ? base : Propagation.extract(carrier, base);
    SpanContext sender = parent == base ? null : Span.fromContext(parent).getSpanContext();
    boolean isPassedOn = sender != null && PassedOn.isFrom(sender, base);
    if (isPassedOn) {
      parent = base;
    } else if (isReceived
        && ReceivedCall.isInside(current, Span.fromContext(parent).getSpanContext())) {
      parent = current;
    }
    ReceivedCall received = isReceived ? ReceivedCall.claim(current, function) : null;
    SpanBuilder builder =
        tracer.spanBuilder(spanName).setParent(parent).setAttribute(FUNCTION, function);
    if (kind != SpanKind.INTERNAL) {
      builder.setSpanKind(kind);
    }
    long sentAtEpochNanos = isPassedOn ? 0 : Propagation.sentAtEpochNanos(carrier);
    if (sentAtEpochNanos != 0) {
      builder.setAttribute(
          WorkerMethodSpan.QUEUE_NANOS, Propagation.epochNanos() - sentAtEpochNanos);
    }
    boolean isOurs = tracer instanceof WorkerTracer; // its spans are not those of requests
    if (sender != null && parent != base && parent != current && !isOurs) { // the sender's child
      SpanAround.add(builder, current, sender);
    }
    if (baggage != null) {
      baggage.copy(parent, builder);
    }
    if (received != null) {
      received.shape(builder);
    }
    if (all.length > 1) {
      SenderLinks.add(builder, Span.fromContext(parent).getSpanContext(), all);
    }
    Span span = builder.startSpan();
    if (!entry.isRecorded() && span.isRecording()) {
      entry.setRecorded();
    }
    Context inside = WorkerSpanContext.with(parent.with(span), span);
    if (sender != null && !isPassedOn) {
      inside = PassedOn.with(sender, inside);
    } else {
      inside = PassedOn.keep(base, inside);
    }
    if (received != null) {
      Context exec = received.exec(span, inside, isVoid && !alwaysExec);
      return WorkerCall.in(exec, this, span, current, received);
    }
    WorkerCall call = WorkerCall.in(inside, this, span, current);
    if (execFirst) {
      call.executes(tracer);
    }
    return call;
  }

  private WorkerMethodSpan.Kind spans(WorkerTracer tracer) {
    WorkerMethodSpan.Kind known = spans;
    if (known == null || known.tracer() != tracer) {
      known = new WorkerMethodSpan.Kind(tracer, spanName, kind, Attributes.of(FUNCTION, function));
      spans = known;
    }
    return known;
  }

  private @Nullable SuppressedCall suppress(Context current) {
    if (Suppression.isSuppressed(current)) {
      return null;
    }
    if (traced) {
      entry.countWithoutContext();
    }
    return new SuppressedCall(tracers.suppress(current), current);
  }

  /** The call continues untraced; a context that has been made current is removed. */
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  private static @Nullable Object failed(Throwable t, Context before) {
    if (Context.current() != before) {
      before.makeCurrent();
    }
    TraceHook.failed(t);
    return null;
  }

  /**
   * A call stores its result but has no {@code exec} span, which would have had to begin with the
   * call. Later calls will have one.
   */
  void storesWithoutExec() {
    execFirst = true;
  }

  /** Adds an exception to a span of a call, which it makes an error unless it is expected. */
  void record(Span span, Throwable thrown) {
    if (expects(thrown)) {
      tracers.exceptions().record(span, thrown);
    } else {
      tracers.exceptions().fail(span, thrown);
    }
  }

  /** Whether the exception is an expected one: {@code @Register(expected)}. */
  private boolean expects(Throwable thrown) {
    for (Class<?> type : expected) {
      if (type.isInstance(thrown)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The method has returned a future. Its span waits for the future, and its thread now works for
   * others.
   */
  void returned(Span span) {
    if (isProfiled && span instanceof ReadableSpan readable) {
      span.setAttribute(RETURNED_NANOS, readable.getLatencyNanos());
    }
  }

  /** Whether {@link #ended} must be called. */
  boolean isMeasured() {
    return durations != null;
  }

  /** As {@link CallDurations#ended}, with the exception of the call, if any. */
  void ended(Span span, long startNanos, @Nullable Throwable thrown, Context inside) {
    if (durations != null) {
      Throwable failure = thrown == null || expects(thrown) ? null : thrown;
      durations.ended(span, startNanos, failure, inside);
    }
  }

  FutureCompletion futureCompletion() {
    return futureCompletion;
  }

  /** Where captured text is cut. */
  public TextLimit textLimit() {
    return textLimit;
  }

  @Override
  public String toString() {
    return function;
  }

  private static List<Class<?>> expected(WovenMethod method, @Nullable ClassLoader loader) {
    List<Class<?>> types = new ArrayList<>();
    for (String name : method.expected()) {
      try {
        types.add(Class.forName(name, false, loader));
      } catch (ClassNotFoundException | LinkageError e) {
        AgentLog.warnOnce("@Register(expected) of " + method.className() + ": no class " + name);
      }
    }
    return List.copyOf(types);
  }
}
