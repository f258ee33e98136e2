package io.rollotel.agent.api;

import io.rollotel.agent.background.StackRoom;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.WovenMethod;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The agent behind {@link TraceHook}: passes each request to the part that handles it. */
public final class HookTarget implements TraceHook.Target {

  private final ApiCopies copies;
  private final SharedParts shared;
  private final Shutdown shutdown;
  private final TracingCopies tracings;
  private final Ledger ledger;

  public HookTarget(
      ApiCopies copies,
      SharedParts shared,
      Shutdown shutdown,
      TracingCopies tracings,
      Ledger ledger) {
    this.copies = copies;
    this.shared = shared;
    this.shutdown = shutdown;
    this.tracings = tracings;
    this.ledger = ledger;
  }

  @Override
  public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts)
      throws Exception {
    StackRoom.require();
    if (!shutdown.mayStart()) {
      return MethodHandles.empty(type);
    }
    WovenMethod method = linked(facts);
    Tracing tracing = tracing(caller);
    return tracing == null ? MethodHandles.empty(type) : tracing.start(caller, type, method);
  }

  @Override
  public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, String facts)
      throws Exception {
    StackRoom.require();
    if (!shutdown.mayStart()) {
      return MethodHandles.empty(type);
    }
    WovenMethod method = linked(facts);
    Tracing tracing = tracing(caller);
    return tracing == null ? MethodHandles.empty(type) : tracing.dispatch(caller, type, method);
  }

  private WovenMethod linked(String facts) {
    WovenMethod method = WovenMethod.parse(facts);
    ledger.called(method.className(), method.name(), method.descriptor());
    return method;
  }

  private @Nullable Tracing tracing(MethodHandles.Lookup caller) {
    return copies.tracingSeenBy(caller.lookupClass().getClassLoader());
  }

  @Override
  public @Nullable Object openTelemetry(Class<?> globalOpenTelemetry) {
    return copies.openTelemetry(globalOpenTelemetry);
  }

  @Override
  public void openTelemetrySet(Class<?> globalOpenTelemetry) {
    copies.openTelemetrySet(globalOpenTelemetry);
  }

  @Override
  public boolean configure(Map<String, String> settings) {
    return copies.settings().add(settings);
  }

  @Override
  public String @Nullable [] currentTrace() {
    return tracings.currentTrace();
  }

  @Override
  public Map<String, String> workerEnvironment() {
    return shutdown.mayStart() ? HandedOn.of(shared.start()) : new HashMap<>();
  }

  @Override
  public @Nullable String runId() {
    return shared.runs().toSend();
  }

  @Override
  public boolean receivedFrom(@Nullable String runId) {
    return shared.runs().received(runId);
  }

  @Override
  public boolean beforeExit(Runnable work) {
    return shutdown.beforeExit(work);
  }

  @Override
  public void notBeforeExit(Runnable work) {
    shutdown.notBeforeExit(work);
  }

  @Override
  public void shutdown() {
    shutdown.byUser();
  }

  @Override
  public void warn(String line) {
    AgentLog.warn(line);
  }
}
