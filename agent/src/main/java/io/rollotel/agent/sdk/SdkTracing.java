package io.rollotel.agent.sdk;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.agent.api.OtherAgent;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.api.SharedParts;
import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.background.Pinning;
import io.rollotel.agent.background.StackRoom;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.link.CallSiteLinker;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.profile.Profile;
import io.rollotel.agent.span.CurrentContext;
import io.rollotel.agent.span.PhaseMethod;
import io.rollotel.agent.span.ReceivedCall;
import io.rollotel.agent.span.SentCall;
import io.rollotel.agent.span.Tracers;
import io.rollotel.agent.span.WorkerMethod;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.telemetry.internal.CurrentSpan;
import io.rollotel.traces.file.RunBytes;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracing on one copy of the API. The agent's SDK is built on first use, unless the application has
 * set its own SDK before.
 */
public final class SdkTracing implements Tracing, Supplier<Tracers.@Nullable Found> {

  private final Ledger ledger;
  private final SdkCustomizers customizers;
  private final Tracers tracers;

  private volatile SharedParts.@Nullable Parts shared;

  /** Written under this lock, during building; ending tracing does not wait for that. */
  private volatile @Nullable AgentSdk sdk;

  /** The SDK must not be built: an earlier attempt failed, or tracing has ended. */
  private volatile boolean noSdk;

  private volatile boolean atExit;

  /**
   * For {@code ApiCopy}, by reflection.
   *
   * @param application the loader of the application's code that customizes the SDK
   */
  public SdkTracing(Ledger ledger, ClassLoader application) {
    this.ledger = ledger;
    customizers = new SdkCustomizers(application);
    tracers = new Tracers(this, ledger);
  }

  @Override
  public void callStartupHook(String className, String methodName) {
    customizers.callHook(className, methodName);
  }

  @Override
  public void open(SharedParts parts) {
    // On a separate thread, which may have its own processor.
    CompatibilityCheck check = needsCheck() ? new CompatibilityCheck(parts.settings()) : null;
    SharedParts.Parts started = parts.start();
    tracers.exceptions().setLongest(started.settings().exceptionLength());
    shared = started;
    if (check != null) {
      check.await();
    }
  }

  /** The agent's own copy of the API fits, unless another agent changes each copy. */
  private static boolean needsCheck() {
    return Context.class.getClassLoader() != SdkTracing.class.getClassLoader()
        || OpenTelemetry.class.getClassLoader() != SdkTracing.class.getClassLoader()
        || OtherAgent.isAttached();
  }

  private SharedParts.Parts shared() {
    SharedParts.Parts known = shared;
    if (known == null) {
      throw new IllegalStateException("not open");
    }
    return known;
  }

  @Override
  public MethodHandle start(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws ReflectiveOperationException {
    CurrentContext.use();
    if (method.isPhase()) {
      return new CallSiteLinker(caller, type, method).start(new PhaseMethod(tracers, method));
    }
    return new CallSiteLinker(caller, type, method)
        .start(
            new WorkerMethod(
                tracers,
                method,
                shared().settings(),
                ledger.entry(method.className(), method.name(), method.descriptor()),
                caller.lookupClass().getClassLoader()));
  }

  @Override
  public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws ReflectiveOperationException {
    CurrentContext.use();
    return new CallSiteLinker(caller, type, method).dispatch();
  }

  @Override
  public OpenTelemetry openTelemetry() {
    AgentSdk built = sdk();
    return built == null ? OpenTelemetry.noop() : built.openTelemetry();
  }

  @Override
  public void applicationSet() {
    tracers.applicationSet();
  }

  /** The tracers of the agent's SDK, which is built on first use; null if it cannot be built. */
  @Override
  public Tracers.@Nullable Found get() {
    AgentSdk built = sdk();
    return built == null ? null : Tracers.Found.of(built.workerTracer(), built.openTelemetry());
  }

  @Override
  public @Nullable Object currentContext() {
    return CurrentContext.get();
  }

  @Override
  public String @Nullable [] currentTrace() {
    Context current = CurrentContext.get();
    return current == null ? null : CurrentSpan.ids(current);
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // leave closes it
  public Object makeCurrent(@Nullable Object context) {
    if (context == null) {
      return Context.root().makeCurrent();
    }
    Context current = (Context) context;
    Scope scope = current.makeCurrent();
    SharedParts.Parts parts = shared;
    Profile profile = parts == null ? null : parts.profile();
    return profile != null && profile.isRecording() ? SpanWorkScope.around(scope, current) : scope;
  }

  @Override
  public void leave(Object scope, @Nullable Object before) {
    CurrentContext.restore((Scope) scope, (Context) before);
  }

  @Override
  public RemoteSpan send(String name, String kind) {
    CurrentContext.use();
    return SentCall.start(tracers, name, SpanKind.valueOf(kind));
  }

  @Override
  public RemoteSpan receive(
      String name,
      String function,
      @Nullable String traceparent,
      long sentAtEpochNanos,
      @Nullable String rootTraceId) {
    CurrentContext.use();
    return ReceivedCall.start(tracers, name, function, traceparent, sentAtEpochNanos, rootTraceId);
  }

  @Override
  public Map<String, String> forWorkers() {
    sdk(); // its export thread starts the collector
    return shared().rendezvous().forWorkers();
  }

  @Override
  public Map<String, String> forWorkersReaching(InetAddress address) {
    return shared().rendezvous().forWorkersReaching(address);
  }

  @Override
  public RunBytes runBytes() {
    return shared().rendezvous().runBytes();
  }

  @Override
  public void sayIfNobodyCollects() {
    AgentSdk built = sdk;
    if (built != null) {
      built.processor().sayIfNobodyCollects();
    }
  }

  @Override
  public void flushSoon() {
    AgentSdk built = sdk;
    if (built != null) {
      built.processor().flushSoon();
    }
  }

  @Override
  public void flush(long timeoutNanos) {
    AgentSdk built = sdk;
    if (built != null) {
      built.processor().forceFlush().join(timeoutNanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void close(long deadlineNanos, boolean isExit) {
    if (isExit) {
      noSdk = true; // an SDK built after this would never be flushed
      atExit = true;
    }
    AgentSdk built = sdk;
    if (built != null) {
      built.close(deadlineNanos, isExit);
    }
  }

  @Override
  public void detach() {
    AgentSdk built;
    synchronized (this) {
      built = sdk;
      sdk = null;
      noSdk = true;
    }
    tracers.end();
    if (built != null) {
      built.close(System.nanoTime(), false); // another thread may have built it meanwhile
      built.detach();
    }
  }

  /** Null if it cannot be built, which is tried only once, or if tracing has ended. */
  private synchronized @Nullable AgentSdk sdk() {
    if (sdk == null && !noSdk) {
      StackRoom.require();
      boolean isPinned = Pinning.pin();
      try {
        AgentSdk built =
            AgentSdk.build(shared(), ledger, customizers.customizer(), tracers.exceptions());
        sdk = built;
        if (atExit) {
          built.close(System.nanoTime(), true); // close() ran while this SDK was being built
        }
        AgentLog.debug("SDK built");
      } catch (VirtualMachineError passing) {
        throw passing;
      } catch (Throwable t) {
        noSdk = true;
        ledger.trouble("the SDK cannot be built (" + t + ")");
        AgentLog.warn("tracing is off: the SDK cannot be built (" + t + ")");
      } finally {
        Pinning.unpin(isPinned);
      }
    }
    return sdk;
  }
}
