package io.rollotel.agent.span;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/**
 * The current context of a thread, in this copy of the API.
 *
 * <p>Before the first span, nothing of the agent may ask for it: the first access initialises the
 * API's storage, and after that the application can no longer add a wrapper to it.
 */
public final class CurrentContext {

  private static volatile boolean inUse;

  private CurrentContext() {}

  /** A span is started: from here on contexts may be current. */
  public static void use() {
    if (!inUse) {
      inUse = true;
    }
  }

  /** The current context; null if it is the root, or nothing has been traced so far. */
  public static @Nullable Context get() {
    if (!inUse) {
      return null;
    }
    Context current = ContextStorage.get().current();
    return current == Context.root() ? null : current;
  }

  /** Ends a scope, and makes {@code before} current again, even if scopes inside were left open. */
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  public static void restore(Scope scope, @Nullable Context before) {
    scope.close();
    if (get() != before) {
      (before == null ? Context.root() : before).makeCurrent();
    }
  }
}
