package io.rollotel.agent.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.Account;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.OtherAgent;
import io.rollotel.agent.RemoteSpan;
import io.rollotel.agent.Settings;
import io.rollotel.agent.Tracing;
import io.rollotel.agent.WovenMethod;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.telemetry.internal.CurrentSpan;
import io.rollotel.telemetry.internal.Suppression;
import io.rollotel.traces.collector.Rendezvous;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tracing on one copy of the API: with the agent's SDK, with the application's once it has set one,
 * or with that of opentelemetry-javaagent where it is attached too. The agent's is built when it is
 * first needed.
 */
public final class SdkTracing implements Tracing {

  /** The scope of worker spans, as in ROLL. */
  static final String WORKER_SCOPE = "worker";

  /** The scope of Ray's calls. */
  private static final String RAY_SCOPE = "ray";

  /** A parent that tells another's sampler not to sample; its ids are never seen in a trace. */
  private static final Span UNSAMPLED =
      Span.wrap(
          SpanContext.create(
              "00000000000000000000000000000001",
              "0000000000000001",
              TraceFlags.getDefault(),
              TraceState.getDefault()));

  private final Settings settings;
  private final Rendezvous rendezvous;
  private final Account account;
  private final Recorder recorder;
  private final SdkCustomizers customizers;

  // Guarded by this.
  private @Nullable AgentSdk sdk;
  private boolean sdkFailed;
  private int generation;

  /** Written under this. */
  private volatile boolean applicationSet;

  /** Of the agent's SDK or of another's. */
  private record Tracers(Tracer worker, Tracer ray) {}

  private volatile @Nullable Tracers tracers;

  /**
   * Before, nothing of ours may ask for the current context: whoever does so first initialises its
   * storage, after which the application can add no wrapper to that any more.
   */
  private static volatile boolean contextInUse;

  /** Whether another agent answers for the global; found out with the first call. */
  private volatile @Nullable Boolean otherAgent;

  /**
   * For {@code ApiCopies}, by reflection. Throws where the API does not fit.
   *
   * @param customizers the {@link SdkCustomizers} of this copy
   * @param trial the {@link Trial} of this copy, which has begun
   */
  public SdkTracing(
      Settings settings,
      AutoCloseable rendezvous,
      Account account,
      AutoCloseable recorder,
      Object customizers,
      Runnable trial) {
    this.customizers = (SdkCustomizers) customizers;
    this.settings = settings;
    this.account = account;
    this.rendezvous = (Rendezvous) rendezvous;
    this.recorder = (Recorder) recorder;
    ((Trial) trial).await();
  }

  @Override
  public MethodHandle start(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws ReflectiveOperationException {
    contextInUse();
    return new Link(caller, type, method)
        .start(
            new WorkerMethod(
                this,
                method,
                settings,
                account.entry(method),
                caller.lookupClass().getClassLoader()));
  }

  @Override
  public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws ReflectiveOperationException {
    contextInUse();
    return new Link(caller, type, method).dispatch();
  }

  @Override
  public OpenTelemetry openTelemetry() {
    AgentSdk built = sdk();
    return built == null ? OpenTelemetry.noop() : built.openTelemetry();
  }

  @Override
  public synchronized void applicationSet() {
    applicationSet = true;
    generation++;
    tracers = null;
  }

  /** The tracer of worker spans. */
  Tracer workerTracer() {
    return tracers().worker;
  }

  /** The tracer of Ray's calls. */
  Tracer rayTracer() {
    return tracers().ray;
  }

  private Tracers tracers() {
    Tracers known = tracers;
    return known == null ? findTracers() : known;
  }

  /** The context with tracing suppressed, for whoever's tracers there are. */
  Context suppress(Context context) {
    if (isOthers()) {
      return Suppression.suppress(context).with(UNSAMPLED);
    }
    return context == Context.root() ? Suppressed.ROOT : Suppression.suppress(context);
  }

  /** What most suppressed calls are in; made when there is one. */
  private static final class Suppressed {
    static final Context ROOT = Suppression.suppress(Context.root());
  }

  /** Whether spans go through another's SDK, whose sampler knows nothing of suppression. */
  private boolean isOthers() {
    if (applicationSet) {
      return true;
    }
    Boolean known = otherAgent;
    if (known == null) {
      known = OtherAgent.isAttached() && OtherAgent.gave(GlobalOpenTelemetry.get());
      otherAgent = known;
    }
    return known;
  }

  /** Asks the global, which is the application's code and woven besides, without holding a lock. */
  private Tracers findTracers() {
    while (true) {
      int before;
      synchronized (this) {
        before = generation;
      }
      boolean others = isOthers();
      if (others) {
        account.throughOthers();
      }
      AgentSdk own = others ? null : sdk();
      OpenTelemetry provider =
          own != null
              ? own.openTelemetry()
              : others ? GlobalOpenTelemetry.get() : OpenTelemetry.noop();
      Tracers found =
          new Tracers(
              own != null ? own.workerTracer() : provider.getTracer(WORKER_SCOPE),
              provider.getTracer(RAY_SCOPE));
      synchronized (this) {
        if (generation == before) {
          tracers = found;
          return found;
        }
      }
    }
  }

  /** A span is started: from here on contexts may be current. */
  static void contextInUse() {
    if (!contextInUse) {
      contextInUse = true;
    }
  }

  @Override
  public @Nullable Object currentContext() {
    if (!contextInUse) {
      return null;
    }
    Context current = ContextStorage.get().current();
    return current == Context.root() ? null : current;
  }

  @Override
  public String @Nullable [] currentTrace() {
    Object current = currentContext();
    return current == null ? null : CurrentSpan.ids((Context) current);
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // leave closes it
  public Object makeCurrent(@Nullable Object context) {
    return (context == null ? Context.root() : (Context) context).makeCurrent();
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // there is no scope to close any more
  public void leave(Object scope, @Nullable Object before) {
    ((Scope) scope).close();
    if (currentContext() != before) {
      (before == null ? Context.root() : (Context) before).makeCurrent();
    }
  }

  @Override
  public RemoteSpan send(String name, String kind) {
    contextInUse();
    return SentCall.start(this, name, SpanKind.valueOf(kind));
  }

  @Override
  public RemoteSpan receive(
      String name, String function, @Nullable String traceparent, long sentAtEpochNanos) {
    contextInUse();
    return ReceivedCall.start(this, name, function, traceparent, sentAtEpochNanos);
  }

  @Override
  public Map<String, String> forWorkers() {
    sdk(); // whose export thread starts the collector
    return rendezvous.forWorkers();
  }

  @Override
  public void flushSoon() {
    AgentSdk built = built();
    if (built != null) {
      built.queue().flushSoon();
    }
  }

  @Override
  public void flush(long timeoutNanos) {
    AgentSdk built = built();
    if (built != null) {
      built.queue().forceFlush().join(timeoutNanos, TimeUnit.NANOSECONDS);
    }
  }

  private synchronized @Nullable AgentSdk built() {
    return sdk;
  }

  @Override
  public void close(long deadlineNanos, boolean atExit) {
    AgentSdk built = built();
    if (built != null) {
      built.close(deadlineNanos, atExit);
    }
  }

  @Override
  public void detach() {
    AgentSdk built;
    synchronized (this) {
      built = sdk;
      sdk = null;
      sdkFailed = true; // none is built again
      generation++;
      Tracer none = TracerProvider.noop().get(WORKER_SCOPE);
      tracers = new Tracers(none, none);
    }
    if (built != null) {
      built.detach();
    }
  }

  /** Null where it cannot be built, which is then not tried again with every call. */
  private synchronized @Nullable AgentSdk sdk() {
    if (sdk == null && !sdkFailed) {
      try {
        sdk = AgentSdk.build(settings, rendezvous, account, recorder, customizers.customizer());
        AgentLog.debug("SDK built");
      } catch (VirtualMachineError passing) {
        throw passing;
      } catch (Throwable t) {
        sdkFailed = true;
        account.trouble("the SDK cannot be built (" + t + ")");
        AgentLog.warn("tracing is off: the SDK cannot be built (" + t + ")");
      }
    }
    return sdk;
  }
}
