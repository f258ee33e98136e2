package io.rollotel.telemetry.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The agent of this JVM. This class finds it by name, because an application may have this module
 * without the agent. It is the only class of the module that uses the agent.
 */
public final class AgentLink {

  /**
   * The agent sets this system property while it traces. An agent that is attached later is looked
   * for only once the property is there: looking costs a failed class lookup.
   */
  private static final String TRACING = "io.rollotel.agent.tracing";

  private static final @Nullable AgentLink AT_START = find();
  private static volatile @Nullable AgentLink attached;

  private final MethodHandle active;
  private final MethodHandle configure;
  private final MethodHandle shutdown;
  private final MethodHandle suppressionKey;
  private final MethodHandle workerKey;
  private final MethodHandle currentTrace;
  private final MethodHandle workerEnvironment;
  private final MethodHandle runId;
  private final MethodHandle asksForRun;
  private final MethodHandle receivedFrom;
  private final MethodHandle beforeExit;
  private final MethodHandle notBeforeExit;

  private AgentLink(Class<?> hook) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    active = lookup.findStatic(hook, "active", MethodType.methodType(boolean.class));
    configure =
        lookup.findStatic(hook, "configure", MethodType.methodType(boolean.class, Map.class));
    shutdown = lookup.findStatic(hook, "shutdown", MethodType.methodType(void.class));
    MethodType key = MethodType.methodType(Object.class, Class.class, Supplier.class);
    suppressionKey = lookup.findStatic(hook, "suppressionKey", key);
    workerKey = lookup.findStatic(hook, "workerKey", key);
    currentTrace = lookup.findStatic(hook, "currentTrace", MethodType.methodType(String[].class));
    workerEnvironment =
        lookup.findStatic(hook, "workerEnvironment", MethodType.methodType(Map.class));
    runId = lookup.findStatic(hook, "runId", MethodType.methodType(String.class));
    asksForRun = lookup.findStatic(hook, "asksForRun", MethodType.methodType(boolean.class));
    receivedFrom =
        lookup.findStatic(hook, "receivedFrom", MethodType.methodType(void.class, String.class));
    beforeExit =
        lookup.findStatic(hook, "beforeExit", MethodType.methodType(boolean.class, Runnable.class));
    notBeforeExit =
        lookup.findStatic(hook, "notBeforeExit", MethodType.methodType(void.class, Runnable.class));
  }

  /** The agent of this JVM; null if there is none so far. */
  public static @Nullable AgentLink get() {
    return AT_START != null ? AT_START : attached();
  }

  private static @Nullable AgentLink attached() {
    AgentLink known = attached;
    if (known == null && System.getProperty(TRACING) != null) {
      known = find();
      attached = known;
    }
    return known;
  }

  private static @Nullable AgentLink find() {
    try {
      // -javaagent puts the agent on the system class path, whatever loader this class has.
      return new AgentLink(
          Class.forName(
              "io.rollotel.agent.hook.TraceHook", true, ClassLoader.getSystemClassLoader()));
    } catch (ReflectiveOperationException | LinkageError absent) {
      return null;
    }
  }

  /** Whether the agent was enabled in this JVM. */
  public boolean active() {
    try {
      return (boolean) active.invokeExact();
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return false;
    }
  }

  /** Passes settings to the agent; false if they come too late. */
  public boolean configure(Map<String, String> settings) {
    try {
      return (boolean) configure.invokeExact(settings);
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return false;
    }
  }

  /** Exports pending spans and ends tracing in this JVM. */
  public void shutdown() {
    try {
      shutdown.invokeExact();
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      StderrLog.warn("shutdown failed: " + t);
    }
  }

  /**
   * The one key of this copy of the API under which suppression lies: context keys compare by
   * identity, and this class may be loaded several times.
   */
  public @Nullable Object suppressionKey(Class<?> keyType, Supplier<?> create) {
    try {
      return suppressionKey.invokeExact(keyType, create);
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return null;
    }
  }

  /** The one key of this copy of the API under which the worker span lies. */
  public @Nullable Object workerKey(Class<?> keyType, Supplier<?> create) {
    try {
      return workerKey.invokeExact(keyType, create);
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return null;
    }
  }

  /**
   * Trace id, span id and traceparent of the span that is current on this thread, in any copy of
   * the API; null for none.
   */
  public String @Nullable [] currentTrace() {
    try {
      return (String[]) currentTrace.invokeExact();
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return null;
    }
  }

  /** The variables of a process that this one starts; empty if that fails. */
  @SuppressWarnings("unchecked") // as the hook declares it
  public Map<String, String> workerEnvironment() {
    try {
      return (Map<String, String>) workerEnvironment.invokeExact();
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      StderrLog.warn("the environment of workers is not known: " + t);
      return new HashMap<>();
    }
  }

  /** The run id that this process passes on with its calls; null if it takes part in no run. */
  @Nullable String runId() {
    try {
      return (String) runId.invokeExact();
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return null;
    }
  }

  /** Whether the run of received calls matters. */
  boolean asksForRun() {
    try {
      return (boolean) asksForRun.invokeExact();
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return false;
    }
  }

  /** A call has come from this run; null if it did not say. */
  void receivedFrom(@Nullable String callersRunId) {
    try {
      receivedFrom.invokeExact(callersRunId);
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      StderrLog.warn("the run of a call is not known: " + t);
    }
  }

  /** Runs this when tracing ends, before the last export; false if it is too late for that. */
  public boolean beforeExit(Runnable work) {
    try {
      return (boolean) beforeExit.invokeExact(work);
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      return false;
    }
  }

  /** Takes back {@link #beforeExit}. */
  public void notBeforeExit(Runnable work) {
    try {
      notBeforeExit.invokeExact(work);
    } catch (Throwable t) {
      Propagation.passOnStop(t);
      StderrLog.warn("the agent cannot remove an exit task: " + t);
    }
  }
}
