package io.rollotel.agent.api;

import io.rollotel.agent.background.Pinning;
import io.rollotel.agent.background.StackRoom;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.loader.InnerLoader;
import io.rollotel.agent.log.AgentLog;
import org.jspecify.annotations.Nullable;

/**
 * One copy of the OpenTelemetry API, and tracing on it once it has been requested. Its lock is held
 * while its SDK is built, because whoever waits for the lock needs that SDK.
 */
final class ApiCopy {

  private static final int MOST_ATTEMPTS = 3;

  private final SharedParts shared;
  private final Ledger ledger;
  private final TracingCopies tracings;
  private final @Nullable ClassLoader apiLoader;
  private final @Nullable ApiCopy fallback;

  // Guarded by this.
  private @Nullable Tracing sdk;
  private @Nullable Tracing tracing;
  private boolean applicationSet;

  /** Whether {@link #tracing} uses this copy: false if it fell back to the agent's own. */
  private boolean joined;

  /** How often the JVM lacked something when this copy was opened. */
  private int attempts;

  /**
   * A copy.
   *
   * @param apiLoader the loader that has it; null for the agent's own
   * @param fallback used if the agent's SDK does not fit this copy; null for none
   */
  ApiCopy(
      SharedParts shared,
      Ledger ledger,
      TracingCopies tracings,
      @Nullable ClassLoader apiLoader,
      @Nullable ApiCopy fallback) {
    this.shared = shared;
    this.ledger = ledger;
    this.tracings = tracings;
    this.apiLoader = apiLoader;
    this.fallback = fallback;
  }

  /**
   * Tracing on this copy, or on the agent's own if the agent's SDK does not fit this one; null once
   * tracing has ended.
   */
  synchronized @Nullable Tracing tracing(@Nullable ClassLoader seenBy) {
    Tracing known = tracing;
    if (known == null) {
      StackRoom.require();
      boolean isPinned = Pinning.pin();
      try {
        known = open(seenBy);
      } finally {
        Pinning.unpin(isPinned);
      }
      if (known != null && applicationSet && joined) {
        known.applicationSet();
      }
      tracing = known;
    }
    return known;
  }

  /** The agent's {@code OpenTelemetry} for this copy; null if the SDK does not fit it. */
  @Nullable Object openTelemetry(@Nullable ClassLoader seenBy) {
    Tracing speaking;
    synchronized (this) {
      Tracing found = tracing(seenBy);
      speaking = joined ? found : null;
    }
    return speaking == null ? null : speaking.openTelemetry();
  }

  /** The application has set the global of this copy. */
  synchronized void applicationSet() {
    applicationSet = true;
    if (tracing != null && joined) {
      tracing.applicationSet();
    }
  }

  private @Nullable Tracing open(@Nullable ClassLoader seenBy) {
    Tracing own = null;
    try {
      own = sdk(seenBy);
      // Added before it is opened, so that a shutdown in the meantime closes it.
      if (!tracings.add(own)) {
        return null;
      }
      own.open(shared);
      joined = true;
      return own;
    } catch (Throwable t) {
      if (own != null) {
        tracings.remove(own);
      }
      throwIfPassing(t);
      if (fallback == null) {
        throw new IllegalStateException("the SDK cannot be built (" + t + ")", t);
      }
      AgentLog.warn(
          "the application's opentelemetry-api does not fit the agent ("
              + (t.getCause() == null ? t : t.getCause())
              + "): worker spans use the agent's own copy; spans made by hand do not join their"
              + " traces");
      return fallback.tracing(null);
    }
  }

  /**
   * Out of memory, threads or stack says little about the API: the next calls try again. Not for
   * ever, since an attempt is expensive, and an API may overflow each stack.
   */
  private void throwIfPassing(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof VirtualMachineError passing && attempts++ < MOST_ATTEMPTS) {
        throw passing;
      }
    }
  }

  /**
   * The SDK that is linked to this copy, not yet open.
   *
   * @param seenBy the loader that asks first, which is the application's; null for the system's
   */
  synchronized Tracing sdk(@Nullable ClassLoader seenBy) {
    Tracing known = sdk;
    if (known == null) {
      try {
        InnerLoader inner = (InnerLoader) ApiCopy.class.getClassLoader();
        // The only class that the agent accesses by name. It gives access to the rest of a copy.
        known =
            Class.forName("io.rollotel.agent.sdk.SdkTracing", true, inner.forApi(apiLoader))
                .asSubclass(Tracing.class)
                .getConstructor(Ledger.class, ClassLoader.class)
                .newInstance(ledger, seenBy == null ? ClassLoader.getSystemClassLoader() : seenBy);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      sdk = known;
    }
    return known;
  }
}
