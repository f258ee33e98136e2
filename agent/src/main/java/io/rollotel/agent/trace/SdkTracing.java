package io.rollotel.agent.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.OtherAgent;
import io.rollotel.agent.Settings;
import io.rollotel.agent.Tracing;
import io.rollotel.agent.WovenMethod;
import io.rollotel.telemetry.TraceContext;
import io.rollotel.traces.collector.Rendezvous;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Tracing on one copy of the API: with the agent's SDK, with the application's once it has set one,
 * or with that of opentelemetry-javaagent where it is attached too. The agent's is built when it is
 * first needed.
 */
public final class SdkTracing implements Tracing {

  /** The scope of worker spans, as in ROLL. */
  private static final String WORKER_SCOPE = "worker";

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

  // Guarded by this.
  private @Nullable AgentSdk sdk;
  private boolean sdkFailed;
  private int generation;

  /** Written under this. */
  private volatile boolean applicationSet;

  /** The tracer of worker spans: the agent's or another's. */
  private volatile @Nullable Tracer workerTracer;

  /** Whether another agent answers for the global; found out with the first call. */
  private volatile @Nullable Boolean otherAgent;

  /** For {@code ApiCopies}, by reflection. Throws where the API does not fit. */
  public SdkTracing(Settings settings, AutoCloseable rendezvous) {
    this.settings = settings;
    this.rendezvous = (Rendezvous) rendezvous;
    Trial.run();
  }

  @Override
  public MethodHandle start(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws ReflectiveOperationException {
    return new Link(caller, type, method)
        .start(new WorkerMethod(this, method, settings, caller.lookupClass().getClassLoader()));
  }

  @Override
  public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws ReflectiveOperationException {
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
    workerTracer = null;
  }

  /** The tracer of worker spans. */
  Tracer workerTracer() {
    Tracer known = workerTracer;
    return known == null ? findWorkerTracer() : known;
  }

  /** The context with tracing suppressed, for whoever's tracers there are. */
  Context suppress(Context context) {
    Context suppressed = TraceContext.suppress(context);
    return isOthers() ? suppressed.with(UNSAMPLED) : suppressed;
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
  private Tracer findWorkerTracer() {
    while (true) {
      int before;
      synchronized (this) {
        before = generation;
      }
      OpenTelemetry provider = isOthers() ? GlobalOpenTelemetry.get() : openTelemetry();
      Tracer found = provider.getTracer(WORKER_SCOPE);
      synchronized (this) {
        if (generation == before) {
          workerTracer = found;
          return found;
        }
      }
    }
  }

  @Override
  public void close(long deadlineNanos, boolean atExit) {
    AgentSdk built;
    synchronized (this) {
      built = sdk;
    }
    if (built != null) {
      built.close(deadlineNanos, atExit);
    }
  }

  /** Null where it cannot be built, which is then not tried again with every call. */
  private synchronized @Nullable AgentSdk sdk() {
    if (sdk == null && !sdkFailed) {
      try {
        sdk = AgentSdk.build(settings, rendezvous);
        AgentLog.debug("SDK built");
      } catch (VirtualMachineError passing) {
        throw passing;
      } catch (Throwable t) {
        sdkFailed = true;
        AgentLog.warn("tracing is off: the SDK cannot be built (" + t + ")");
      }
    }
    return sdk;
  }
}
