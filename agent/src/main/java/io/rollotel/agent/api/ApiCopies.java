package io.rollotel.agent.api;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.CurrentSettings;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The rule for class loaders: a woven class is traced through the OpenTelemetry API that it sees
 * itself; where it sees none, through the agent's own copy.
 *
 * <p>What is known of a copy hangs on that copy's own class, so that a dropped class loader takes
 * it along.
 */
public final class ApiCopies {

  private static final String API_CLASS = "io.opentelemetry.api.GlobalOpenTelemetry";

  private final CurrentSettings settings;
  private final SharedParts shared;
  private final Ledger ledger;
  private final TracingCopies tracings;
  private final Shutdown shutdown;
  private final @Nullable StartupHook hook;
  private final ApiCopy ownCopy;

  // Guarded by itself.
  private final Set<Class<?>> globals = Collections.newSetFromMap(new WeakHashMap<>());

  /** Keyed by the copy's GlobalOpenTelemetry. */
  private final ClassValue<ApiCopy> copies =
      new ClassValue<>() {
        @Override
        protected ApiCopy computeValue(Class<?> global) {
          synchronized (globals) {
            globals.add(global);
          }
          return new ApiCopy(shared, ledger, tracings, global.getClassLoader(), ownCopy);
        }
      };

  /** Loads nothing yet. */
  public ApiCopies(
      CurrentSettings settings,
      SharedParts shared,
      Ledger ledger,
      TracingCopies tracings,
      Shutdown shutdown) {
    this.settings = settings;
    this.shared = shared;
    this.ledger = ledger;
    this.tracings = tracings;
    this.shutdown = shutdown;
    ownCopy = new ApiCopy(shared, ledger, tracings, null, null);
    String hookName = settings.get().startupHook();
    hook = hookName == null ? null : new StartupHook(hookName, this);
  }

  /** The settings in force. */
  public CurrentSettings settings() {
    return settings;
  }

  /**
   * Tracing as the classes of a loader see it; null if it is too late for it.
   *
   * @param loader null for the system's
   */
  public @Nullable Tracing tracingSeenBy(@Nullable ClassLoader loader) {
    if (!shutdown.mayStart()) {
      return null;
    }
    if (hook != null) {
      hook.beforeTracing(loader);
    }
    Tracing found = copySeenBy(loader).tracing(loader);
    shared.linked();
    return found;
  }

  /** Calls the user's startup hook, if it is set and its class can already be loaded. */
  public void beforeMain() {
    if (hook != null) {
      hook.beforeMain();
    }
  }

  /** Calls a startup hook whose class is linked to the agent's SDK. */
  void callHookBesideSdk(ClassLoader loader, String className, String methodName) {
    copySeenBy(loader).sdk(loader).callStartupHook(className, methodName);
  }

  /** See {@code TraceHook.Target.openTelemetry}. */
  @Nullable Object openTelemetry(Class<?> global) {
    // The other agent's answer, or, as the application asked, the SDK's own way of filling the
    // global.
    if (OtherAgent.isAttached()
        || Boolean.parseBoolean(
            settings.asFixedNow().otel("otel.java.global-autoconfigure.enabled"))
        || !shutdown.mayStart()) {
      return null;
    }
    return copies.get(global).openTelemetry(global.getClassLoader());
  }

  /** See {@code TraceHook.Target.openTelemetrySet}. */
  void openTelemetrySet(Class<?> global) {
    copies.get(global).applicationSet();
  }

  /**
   * A class that was loaded before the agent: if it is a copy's GlobalOpenTelemetry, its global is
   * used from now on.
   */
  public void attached(Class<?> loaded) {
    if (loaded.getName().equals(API_CLASS) && PresetGlobal.isSetByApplication(loaded)) {
      openTelemetrySet(loaded);
    }
  }

  /** Ends tracing, and leaves no reference to the agent's classes. */
  public void detach() {
    shutdown.detach();
    Set<Class<?>> all;
    synchronized (globals) {
      all = new HashSet<>(globals);
    }
    // A ClassValue holds itself: the copy's class would keep all of the agent.
    all.forEach(copies::remove);
  }

  private ApiCopy copySeenBy(@Nullable ClassLoader loader) {
    try {
      return copies.get(Class.forName(API_CLASS, false, loader));
    } catch (ClassNotFoundException | LinkageError noneSeen) {
      return ownCopy;
    }
  }
}
