package io.rollotel.agent.hook;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The only class that woven code calls. It lies on the system class path, is the same for every
 * class loader of the JVM, and its methods speak JDK types alone.
 *
 * <p>Nothing here throws, except where the application stops the thread: what goes wrong inside
 * tracing is counted and logged once per kind.
 */
public final class TraceHook {

  /** What stands behind the hook: the agent, once it is enabled. */
  public interface Target {

    /**
     * The handle for the start of a {@code @Register} method: from the arguments of {@code type} to
     * the object on which {@link Call#end} is called, or null. Called once per method.
     *
     * @param facts facts known at weaving time: see {@code io.rollotel.agent.weave}
     */
    MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts) throws Exception;

    /** The handle for the start of a {@code @Dispatch} method: it injects, and returns nothing. */
    MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, String facts)
        throws Exception;

    /** What {@code GlobalOpenTelemetry.get} of this copy of the API answers while none is set. */
    @Nullable Object openTelemetry(Class<?> globalOpenTelemetry);

    /** The application has set the global of this copy of the API. */
    void openTelemetrySet(Class<?> globalOpenTelemetry);

    /** Settings from user code; false where they come too late. */
    boolean configure(Map<String, String> settings);

    /** Exports pending spans and ends tracing; blocks for the exit time-out at most. */
    void shutdown();

    /**
     * Trace id, span id and traceparent of the span that is current on this thread, in any copy of
     * the API; null for none.
     */
    String @Nullable [] currentTrace();

    /** Environment variables for a process that takes part in the run. */
    Map<String, String> workerEnvironment();

    /** The run id that this process passes on with its calls; null if it takes part in no run. */
    @Nullable String runId();

    /**
     * A call has come from a process of this run; null if it did not say.
     *
     * @return whether further calls can tell more
     */
    boolean receivedFrom(@Nullable String runId);

    /** Runs this when tracing ends, before the last export; false if it is too late for that. */
    boolean beforeExit(Runnable work);

    /** Takes back {@link #beforeExit}. */
    void notBeforeExit(Runnable work);

    /** One line for the user. */
    void warn(String line);
  }

  /** A traced call that has started. */
  public abstract static class Call {

    /** For subclasses. */
    protected Call() {}

    /**
     * Ends the call, on the thread that started it.
     *
     * @param thrown what the method threw, or null
     */
    protected abstract void end(@Nullable Throwable thrown);

    /**
     * Ends the call of a method that returns a future: on this thread the call ends now; its span
     * ends when the future completes.
     *
     * @param future what the method returned, or null
     * @param thrown what it threw, or null
     */
    protected void endWith(@Nullable Object future, @Nullable Throwable thrown) {
      end(thrown);
    }
  }

  /** The key objects of each copy of the OpenTelemetry API, kept by that copy's own class. */
  private static final ClassValue<Object[]> KEYS =
      new ClassValue<>() {
        @Override
        protected Object[] computeValue(Class<?> type) {
          return new Object[2];
        }
      };

  private static final String FAILED = "tracing failed; the application continues: ";

  /** By the facts of a method: which thread is linking it. */
  private static final Map<String, Thread> LINKING = new ConcurrentHashMap<>();

  /** The facts of methods that were called while they were linked. */
  private static final Set<String> CIRCLES = ConcurrentHashMap.newKeySet();

  private static final Map<String, AtomicLong> FAILURES = new ConcurrentHashMap<>();

  /** All of them, of whatever kind, since counting by kind takes memory. */
  private static final AtomicLong FAILURE_COUNT = new AtomicLong();

  private static volatile @Nullable Target target;

  /** This single read is the whole cost for a call that arrives with a context. */
  private static volatile boolean asksForRun;

  private TraceHook() {}

  /** Puts the agent behind the hook; null takes it away: what links from then on does nothing. */
  public static void connect(@Nullable Target newTarget) {
    target = newTarget;
    asksForRun = newTarget != null;
  }

  /** Bootstrap of the invokedynamic instruction at the start of a {@code @Register} method. */
  public static CallSite start(
      MethodHandles.Lookup caller, String name, MethodType type, String facts) {
    return link(caller, type, facts, false);
  }

  /** Bootstrap of the invokedynamic instruction at the start of a {@code @Dispatch} method. */
  public static CallSite dispatch(
      MethodHandles.Lookup caller, String name, MethodType type, String facts) {
    return link(caller, type, facts, true);
  }

  /**
   * A security manager may ask a traced method while that is linked. The inner call then decides
   * for the JVM: the method stays untraced.
   */
  private static CallSite link(
      MethodHandles.Lookup caller, MethodType type, String facts, boolean isDispatch) {
    Target connected = target;
    if (connected == null) {
      return new ConstantCallSite(MethodHandles.empty(type));
    }
    Thread other = LINKING.putIfAbsent(facts, Thread.currentThread());
    if (other == Thread.currentThread()) {
      CIRCLES.add(facts);
      return new ConstantCallSite(MethodHandles.empty(type));
    }
    try {
      MethodHandle linked =
          isDispatch
              ? connected.dispatch(caller, type, facts)
              : connected.start(caller, type, facts);
      return new ConstantCallSite(linked.asType(type));
    } catch (VirtualMachineError passing) {
      // Out of memory or of stack: the JVM does not remember it, so the next call links again.
      throw passing;
    } catch (Throwable t) {
      passOnStop(t);
      count(t, t.getClass().getName(), FAILED + excerpt(t), ""); // no payload's code ran
    } finally {
      if (other == null) {
        LINKING.remove(facts);
        if (CIRCLES.remove(facts)) {
          sayCircle(caller.lookupClass(), connected);
        }
      }
    }
    return new ConstantCallSite(MethodHandles.empty(type));
  }

  private static void sayCircle(Class<?> type, Target connected) {
    try {
      String line = " stays untraced: it is called while its tracing is prepared";
      connected.warn("a method of " + type.getName() + line);
    } catch (Throwable t) {
      failed(t);
    }
  }

  /** Woven at the end of a {@code @Register} method. */
  public static void end(@Nullable Object call, @Nullable Throwable thrown) {
    if (call != null) {
      ((Call) call).end(thrown);
    }
  }

  /** Woven at the end of a {@code @Register} method that returns a future. */
  public static void endWith(
      @Nullable Object call, @Nullable Object future, @Nullable Throwable thrown) {
    if (call != null) {
      ((Call) call).endWith(future, thrown);
    }
  }

  /** Woven into {@code GlobalOpenTelemetry.get}, asked while no global is set. */
  public static @Nullable Object openTelemetry(Class<?> globalOpenTelemetry) {
    try {
      Target connected = target;
      return connected == null ? null : connected.openTelemetry(globalOpenTelemetry);
    } catch (Throwable t) {
      failed(t);
      return null;
    }
  }

  /** Woven at the end of {@code GlobalOpenTelemetry.set}. */
  public static void openTelemetrySet(Class<?> globalOpenTelemetry) {
    try {
      Target connected = target;
      if (connected != null) {
        connected.openTelemetrySet(globalOpenTelemetry);
      }
    } catch (Throwable t) {
      failed(t);
    }
  }

  /**
   * Counts what went wrong inside tracing, and logs the first of its kind, without its message: if
   * code of a payload has thrown it, that may hold contents and secrets.
   */
  public static void failed(Throwable thrown) {
    passOnStop(thrown);
    String kind = thrown.getClass().getName();
    count(thrown, kind, FAILED + kind, "");
  }

  /**
   * Counts what the application's code threw at tracing, and logs the first of its kind.
   *
   * @param thrower the method that threw
   * @param effect what tracing does without its result
   */
  public static void failed(Throwable thrown, String thrower, String effect) {
    passOnStop(thrown);
    String kind = thrower + " threw " + thrown.getClass().getName();
    count(thrown, kind, kind, "; " + effect);
  }

  /**
   * {@code Thread.stop}, which works up to JDK 19, may reach a thread anywhere, and the thread must
   * end: its error is not one of tracing. The method is in this class because it is loaded by then:
   * a class that a thread is loading when it is stopped is lost to the JVM.
   */
  public static void passOnStop(Throwable thrown) {
    if (thrown instanceof Error error
        && !(error instanceof VirtualMachineError) // there may be no stack for more
        && error.getClass().getName().equals("java.lang.ThreadDeath")) { // gone in later JDKs
      throw error;
    }
  }

  /** The exception with the beginning of its message. */
  private static String excerpt(Throwable thrown) {
    try {
      String text = thrown.toString();
      return text.substring(0, Math.min(text.length(), 300));
    } catch (Throwable unprintable) {
      return thrown.getClass().getName();
    }
  }

  private static void count(Throwable thrown, String kind, String line, String effect) {
    if (thrown instanceof StackOverflowError) {
      return; // the application's own; a line printed where the stack ends may stop in the middle
    }
    try {
      FAILURE_COUNT.incrementAndGet();
      boolean first = FAILURES.computeIfAbsent(kind, k -> new AtomicLong()).incrementAndGet() == 1;
      Target connected = target;
      if (first && connected != null) {
        StackTraceElement[] trace = thrown.getStackTrace();
        connected.warn(line + (trace.length > 0 ? " at " + trace[0] : "") + effect);
      }
    } catch (Throwable outOfMemoryOrStack) {
      passOnStop(outOfMemoryOrStack);
      // Nothing can be done that would not make it worse.
    }
  }

  /**
   * How often something went wrong inside tracing since the JVM started, without the application's
   * own stack overflows. Each failure may have cost a span: a call that cannot begin one goes on
   * untraced.
   */
  public static long failures() {
    return FAILURE_COUNT.get();
  }

  /** Whether the agent is enabled in this JVM. For {@code io.rollotel.telemetry}. */
  public static boolean active() {
    return target != null;
  }

  /** See {@link Target#configure}. For {@code io.rollotel.telemetry}. */
  public static boolean configure(Map<String, String> settings) {
    Target connected = target;
    return connected != null && connected.configure(settings);
  }

  /** See {@link Target#shutdown}. For {@code io.rollotel.telemetry}. */
  public static void shutdown() {
    Target connected = target;
    if (connected != null) {
      connected.shutdown();
    }
  }

  /**
   * The key under which suppression lies in a context: context keys compare by identity, so all
   * copies of our classes on one copy of the API must have the same object.
   *
   * @param keyType the API's class {@code ContextKey}
   */
  public static Object suppressionKey(Class<?> keyType, Supplier<?> create) {
    return key(0, keyType, create);
  }

  /** The key under which the worker span lies in a context: as {@link #suppressionKey}. */
  public static Object workerKey(Class<?> keyType, Supplier<?> create) {
    return key(1, keyType, create);
  }

  private static Object key(int which, Class<?> keyType, Supplier<?> create) {
    Object[] keys = KEYS.get(keyType);
    synchronized (keys) {
      if (keys[which] == null) {
        keys[which] = create.get();
      }
      return keys[which];
    }
  }

  /** See {@link Target#currentTrace}. For {@code io.rollotel.telemetry}, and woven into loggers. */
  public static String @Nullable [] currentTrace() {
    try {
      Target connected = target;
      return connected == null ? null : connected.currentTrace();
    } catch (Throwable t) {
      failed(t);
      return null;
    }
  }

  /** See {@link Target#workerEnvironment}; empty without an agent. */
  public static Map<String, String> workerEnvironment() {
    try {
      Target connected = target;
      return connected == null ? new HashMap<>() : connected.workerEnvironment();
    } catch (Throwable t) {
      failed(t);
      return new HashMap<>();
    }
  }

  /** See {@link Target#runId}. */
  public static @Nullable String runId() {
    try {
      Target connected = target;
      return connected == null ? null : connected.runId();
    } catch (Throwable t) {
      failed(t);
      return null;
    }
  }

  /** Whether {@link #receivedFrom} wants to be told. */
  public static boolean asksForRun() {
    return asksForRun;
  }

  /** See {@link Target#receivedFrom}. */
  public static void receivedFrom(@Nullable String runId) {
    try {
      Target connected = target;
      if (connected != null && !connected.receivedFrom(runId)) {
        asksForRun = false;
      }
    } catch (Throwable t) {
      asksForRun = false;
      failed(t);
    }
  }

  /** See {@link Target#beforeExit}. For {@code io.rollotel.telemetry}. */
  public static boolean beforeExit(Runnable work) {
    Target connected = target;
    return connected != null && connected.beforeExit(work);
  }

  /** See {@link Target#notBeforeExit}. For {@code io.rollotel.telemetry}. */
  public static void notBeforeExit(Runnable work) {
    Target connected = target;
    if (connected != null) {
      connected.notBeforeExit(work);
    }
  }
}
