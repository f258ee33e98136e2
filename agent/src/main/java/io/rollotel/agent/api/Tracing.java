package io.rollotel.agent.api;

import io.rollotel.agent.loader.InnerLoader;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.traces.file.RunBytes;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracing on one copy of the OpenTelemetry API, as the agent sees it: {@code io.rollotel.agent.sdk}
 * implements it in the copy's own {@link InnerLoader}.
 */
public interface Tracing {

  /**
   * Calls a startup hook. An exception of the hook is the cause of an UndeclaredThrowableException.
   *
   * @param className of the class, which is linked to the agent's SDK
   * @param methodName the static method
   */
  void callStartupHook(String className, String methodName);

  /**
   * Prepares tracing, once, before all other calls except the hook: checks whether the SDK fits
   * this copy of the API, and meanwhile creates what all copies share.
   *
   * @throws IllegalStateException if the SDK does not fit
   */
  void open(SharedParts shared);

  /** See {@code TraceHook.Target.start}. */
  MethodHandle start(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws Exception;

  /** See {@code TraceHook.Target.dispatch}. */
  MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, WovenMethod method)
      throws Exception;

  /** The agent's {@code OpenTelemetry}, or null if it could not be built. */
  @Nullable Object openTelemetry();

  /** From now on, use the application's own global. */
  void applicationSet();

  /**
   * The current context of this thread; null if there is none, or nothing has been traced so far.
   */
  @Nullable Object currentContext();

  /** Trace id, span id and traceparent of the current span; null if no valid one is. */
  String @Nullable [] currentTrace();

  /**
   * Makes a context current on this thread until {@link #leave}.
   *
   * @param context from {@link #currentContext}, or null for nothing
   * @return the scope
   */
  Object makeCurrent(@Nullable Object context);

  /**
   * Ends a scope, and makes the earlier context current again, even if scopes inside were left
   * open.
   *
   * @param before from {@link #currentContext}, before {@link #makeCurrent}
   */
  void leave(Object scope, @Nullable Object before);

  /** Starts the span of a call to another process, {@code kind} by its name in the API. */
  RemoteSpan send(String name, String kind);

  /**
   * Starts the span of a call from another process and makes it current until its end.
   *
   * @param function class and method, with a dot
   * @param traceparent the sender's {@link RemoteSpan#traceparent}; null for a root
   * @param sentAtEpochNanos when it was sent; 0 if unknown
   * @param rootTraceId the trace id of a root; null for a random one
   */
  RemoteSpan receive(
      String name,
      String function,
      @Nullable String traceparent,
      long sentAtEpochNanos,
      @Nullable String rootTraceId);

  /** Environment variables for the run's other processes. */
  Map<String, String> forWorkers();

  /** Further variables for processes on other hosts, which reach this host at this address. */
  Map<String, String> forWorkersReaching(InetAddress address);

  /** How much this process's run may still write. */
  RunBytes runBytes();

  /**
   * This process may end at any time without notice, so ended spans are exported as soon as no task
   * has ended for a moment.
   */
  void flushSoon();

  /** Exports pending spans, and waits until that is done. */
  void flush(long timeoutNanos);

  /** Warns now if no collector listens, because the JVM may never reach an orderly exit. */
  void sayIfNobodyCollects();

  /**
   * Exports pending spans; those that are left at the deadline go to the process's own file.
   *
   * @param deadlineNanos in terms of {@link System#nanoTime()}
   * @param atExit whether the JVM is exiting: spans that end later still go to the own file, but an
   *     SDK that is not there yet is not built any more; otherwise the user has ended tracing
   */
  void close(long deadlineNanos, boolean atExit);

  /** Tracers that were handed out do nothing from now on, and nothing is built any more. */
  void detach();
}
