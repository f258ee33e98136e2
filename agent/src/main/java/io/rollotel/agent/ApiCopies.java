package io.rollotel.agent;

import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rule for class loaders: a woven class is traced through the OpenTelemetry API that it sees
 * itself; where it sees none, through the agent's own copy.
 *
 * <p>What is known of a copy hangs on that copy's own class, so that a dropped class loader takes
 * it along.
 */
final class ApiCopies implements TraceHook.Target {

  private static final String API_CLASS = "io.opentelemetry.api.GlobalOpenTelemetry";

  private final Settings settings;
  private final InnerLoader inner;
  private final Account account;
  private final Runnable lastWords;
  private final Consumer<ApiCopies> firstUse;
  private final Object lock = new Object();
  private final BeforeExit beforeExit = new BeforeExit();
  private final @Nullable StartupHook hook;

  /** Keyed by the copy's GlobalOpenTelemetry. */
  private final ClassValue<ApiCopy> copies =
      new ClassValue<>() {
        @Override
        protected ApiCopy computeValue(Class<?> global) {
          synchronized (lock) {
            globals.add(global);
          }
          return new ApiCopy(global.getClassLoader());
        }
      };

  private final ApiCopy ownCopy = new ApiCopy(null);

  /** Replaced, never changed. */
  private volatile List<WeakReference<Tracing>> built = List.of();

  // Guarded by lock.
  private @Nullable AutoCloseable rendezvous;
  private @Nullable AutoCloseable recorder;
  private final Set<Class<?>> globals = Collections.newSetFromMap(new WeakHashMap<>());
  private @Nullable Thread exitHook;
  private boolean tooLate;

  /**
   * Loads nothing yet.
   *
   * @param firstUse called once, before anything is traced
   * @param lastWords called at the end of the JVM, when spans are flushed
   */
  ApiCopies(
      Settings settings,
      InnerLoader inner,
      Account account,
      Consumer<ApiCopies> firstUse,
      Runnable lastWords) {
    this.settings = settings;
    this.inner = inner;
    this.account = account;
    this.lastWords = lastWords;
    this.firstUse = firstUse;
    String hookName = settings.startupHook();
    hook =
        hookName == null
            ? null
            : new StartupHook(hookName, loader -> copySeenBy(loader).customizers(loader));
    if (!settings.methods().isEmpty() || AgentLog.saysInfo()) {
      // What matched nothing is named at exit, the more so if nothing else is traced.
      mayStart();
    }
  }

  @Override
  public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts)
      throws Exception {
    if (!mayStart()) {
      return MethodHandles.empty(type);
    }
    WovenMethod method = WovenMethod.parse(facts);
    account.called(method);
    return tracingAt(caller.lookupClass().getClassLoader()).start(caller, type, method);
  }

  @Override
  public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, String facts)
      throws Exception {
    if (!mayStart()) {
      return MethodHandles.empty(type);
    }
    WovenMethod method = WovenMethod.parse(facts);
    account.called(method);
    return tracingAt(caller.lookupClass().getClassLoader()).dispatch(caller, type, method);
  }

  /**
   * Tracing as the classes of a loader see it; null where it is too late for it.
   *
   * @param loader null for the system's
   */
  @Nullable Tracing tracingSeenBy(@Nullable ClassLoader loader) {
    return mayStart() ? tracingAt(loader) : null;
  }

  private Tracing tracingAt(@Nullable ClassLoader loader) {
    if (hook != null) {
      hook.beforeTracing(loader);
    }
    return copySeenBy(loader).tracing(loader);
  }

  /** Calls the user's startup hook, if there is one and its class is to be had already. */
  void beforeMain() {
    if (hook != null) {
      hook.beforeMain();
    }
  }

  @Override
  public @Nullable Object openTelemetry(Class<?> globalOpenTelemetry) {
    // The other agent's answer, or, as the application asked, the SDK's own way of filling the
    // global.
    if (OtherAgent.isAttached()
        || Boolean.parseBoolean(settings.otel("otel.java.global-autoconfigure.enabled"))
        || !mayStart()) {
      return null;
    }
    ApiCopy copy = copies.get(globalOpenTelemetry);
    Tracing tracing = copy.tracing(globalOpenTelemetry.getClassLoader());
    return copy.joined ? tracing.openTelemetry() : null;
  }

  @Override
  public void openTelemetrySet(Class<?> globalOpenTelemetry) {
    copies.get(globalOpenTelemetry).applicationSet();
  }

  @Override
  public boolean configure(Map<String, String> userSettings) {
    synchronized (lock) {
      if (!built.isEmpty()) {
        return false;
      }
      userSettings.forEach(settings::set);
      return true;
    }
  }

  /** Tracing on every copy of the API that was met so far. */
  List<WeakReference<Tracing>> built() {
    return built;
  }

  @Override
  public String @Nullable [] currentTrace() {
    for (WeakReference<Tracing> reference : built) {
      Tracing tracing = reference.get();
      String[] ids = tracing == null ? null : tracing.currentTrace();
      if (ids != null) {
        return ids;
      }
    }
    return null;
  }

  @Override
  public boolean beforeExit(Runnable work) {
    return mayStart() && beforeExit.add(work);
  }

  @Override
  public void notBeforeExit(Runnable work) {
    beforeExit.remove(work);
  }

  @Override
  public void shutdown() {
    shutdown(false);
  }

  private void shutdown(boolean atExit) {
    beforeExit.run();
    List<WeakReference<Tracing>> all;
    AutoCloseable last;
    synchronized (lock) {
      all = built;
      last = rendezvous;
    }
    if (atExit) {
      for (String entry : settings.methods().unmatched()) {
        AgentLog.warn("ROLL_OTEL_METHODS: " + entry + " has matched no method");
      }
    }
    long deadlineNanos = System.nanoTime() + settings.exitTimeoutMillis() * 1_000_000;
    for (WeakReference<Tracing> reference : all) {
      Tracing tracing = reference.get();
      if (tracing != null) {
        tracing.close(deadlineNanos, atExit);
      }
    }
    if (atExit) {
      closeRecorder();
    }
    if (last != null) {
      try {
        last.close();
      } catch (Exception e) {
        AgentLog.warn("the collector did not stop cleanly: " + e);
      }
    }
    if (atExit) {
      lastWords.run();
    }
  }

  /**
   * A class that was there before the agent: if it is a copy's GlobalOpenTelemetry, whoever has set
   * it is asked from now on.
   */
  void attached(Class<?> loaded) {
    if (loaded.getName().equals(API_CLASS) && EarlierGlobal.isSetByApplication(loaded)) {
      openTelemetrySet(loaded);
    }
  }

  /** Not when tracing is shut down: spans that are open then may still end. */
  private void closeRecorder() {
    AutoCloseable open;
    synchronized (lock) {
      open = recorder;
    }
    if (open != null) {
      try {
        open.close();
      } catch (Exception e) {
        AgentLog.warn("the recorder did not close cleanly: " + e);
      }
    }
  }

  /** Ends tracing and leaves nothing behind that would hold the agent's classes. */
  void detach() {
    shutdown(false);
    closeRecorder();
    synchronized (lock) {
      tooLate = true;
      if (exitHook != null) {
        try {
          Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException shuttingDown) {
          // It has run, or is about to: twice does no harm.
        }
        exitHook = null;
      }
      for (WeakReference<Tracing> reference : built) {
        Tracing tracing = reference.get();
        if (tracing != null) {
          tracing.detach();
        }
      }
      // A ClassValue holds itself: the copy's class would keep all of the agent.
      globals.forEach(copies::remove);
    }
  }

  @Override
  public void warn(String line) {
    AgentLog.warn(line);
  }

  /**
   * Whether there is time for tracing at all: not where the JVM is shutting down already. Takes
   * locks: not for the loading of classes.
   */
  boolean mayStart() {
    synchronized (lock) {
      if (exitHook == null && !tooLate) {
        try {
          Thread hook = Pump.thread("roll-otel-exit", () -> shutdown(true));
          Runtime.getRuntime().addShutdownHook(hook);
          exitHook = hook;
        } catch (IllegalStateException shuttingDown) {
          tooLate = true;
        }
      }
      return exitHook != null;
    }
  }

  private ApiCopy copySeenBy(@Nullable ClassLoader loader) {
    try {
      return copies.get(Class.forName(API_CLASS, false, loader));
    } catch (ClassNotFoundException | LinkageError noneSeen) {
      return ownCopy;
    }
  }

  private Tracing build(InnerLoader sdk, Object customizers) throws Exception {
    synchronized (lock) {
      // On its own thread, which here and there is a processor of its own.
      Runnable trial =
          Class.forName("io.rollotel.agent.trace.Trial", true, sdk)
              .asSubclass(Runnable.class)
              .getConstructor(Settings.class)
              .newInstance(settings);
      if (rendezvous == null) {
        RunParts parts = new RunParts(settings, inner);
        rendezvous = parts.rendezvous();
        recorder = parts.recorder();
        firstUse.accept(this);
      }
      Tracing tracing =
          Class.forName("io.rollotel.agent.trace.SdkTracing", true, sdk)
              .asSubclass(Tracing.class)
              .getConstructor(
                  Settings.class,
                  AutoCloseable.class,
                  Account.class,
                  AutoCloseable.class,
                  Object.class,
                  Runnable.class)
              .newInstance(settings, rendezvous, account, recorder, customizers, trial);
      List<WeakReference<Tracing>> all = new ArrayList<>(built);
      all.removeIf(copy -> copy.refersTo(null));
      all.add(new WeakReference<>(tracing));
      built = List.copyOf(all);
      return tracing;
    }
  }

  /** One copy of the API, and tracing on it once that was asked for. */
  private final class ApiCopy {

    private final @Nullable ClassLoader loader;
    private @Nullable InnerLoader sdk;
    private @Nullable BiConsumer<String, String> customizers;
    private @Nullable Tracing tracing;
    private boolean applicationSet;

    /** Whether {@link #tracing} speaks this copy: false where it fell back to the agent's own. */
    private volatile boolean joined;

    ApiCopy(@Nullable ClassLoader loader) {
      this.loader = loader;
    }

    private InnerLoader sdk() {
      InnerLoader known = sdk;
      if (known == null) {
        known = inner.forApi(loader);
        sdk = known;
      }
      return known;
    }

    /**
     * What the application's code wants of this copy's SDK.
     *
     * @param seenBy the loader that asks first, which is the application's
     */
    @SuppressWarnings("unchecked") // its class implements just this
    synchronized BiConsumer<String, String> customizers(@Nullable ClassLoader seenBy) {
      BiConsumer<String, String> known = customizers;
      if (known == null) {
        try {
          known =
              Class.forName("io.rollotel.agent.trace.SdkCustomizers", true, sdk())
                  .asSubclass(BiConsumer.class)
                  .getConstructor(ClassLoader.class)
                  .newInstance(seenBy == null ? ClassLoader.getSystemClassLoader() : seenBy);
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
        customizers = known;
      }
      return known;
    }

    synchronized Tracing tracing(@Nullable ClassLoader seenBy) {
      Tracing known = tracing;
      if (known == null) {
        known = build(seenBy);
        if (applicationSet && joined) {
          known.applicationSet();
        }
        tracing = known;
      }
      return known;
    }

    synchronized void applicationSet() {
      applicationSet = true;
      if (tracing != null && joined) {
        tracing.applicationSet();
      }
    }

    private Tracing build(@Nullable ClassLoader seenBy) {
      try {
        Tracing own = ApiCopies.this.build(sdk(), customizers(seenBy));
        joined = true;
        return own;
      } catch (Throwable t) {
        if (this == ownCopy) {
          throw new IllegalStateException("the SDK cannot be built", t);
        }
        Throwable cause = t.getCause() == null ? t : t.getCause();
        AgentLog.warn(
            "the application's opentelemetry-api does not fit the agent ("
                + cause
                + "): worker spans go through the agent's own copy, spans made by hand are not"
                + " joined with them");
        return ownCopy.tracing(null);
      }
    }
  }
}
