package io.rollotel.agent.ray;

import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.api.Tracing;
import org.jspecify.annotations.Nullable;

/** A task that this thread executes, with its span. */
final class Execution {

  /** Threads are reused, so it is empty between two tasks. */
  private static final ThreadLocal<Execution> CURRENT = new ThreadLocal<>();

  private final RemoteSpan span;
  private final Tracing tracing;
  private final boolean hasArguments;
  private final @Nullable Execution outer;
  private @Nullable Throwable caught;

  private Execution(
      RemoteSpan span, Tracing tracing, boolean hasArguments, @Nullable Execution outer) {
    this.span = span;
    this.tracing = tracing;
    this.hasArguments = hasArguments;
    this.outer = outer;
  }

  static Execution begin(RemoteSpan span, Tracing tracing, boolean hasArguments) {
    Execution begun = new Execution(span, tracing, hasArguments, CURRENT.get());
    CURRENT.set(begun);
    return begun;
  }

  /** This thread's current task; null if there is none. */
  static @Nullable Execution current() {
    return CURRENT.get();
  }

  Tracing tracing() {
    return tracing;
  }

  /** A phase begins; without arguments, there is nothing to prefetch. */
  void phase(String name) {
    if (hasArguments || !name.equals("prefetch")) {
      span.phase(name);
    }
  }

  /** The first exception is the user's; later ones come from the attempt to send it. */
  void caught(Throwable thrown) {
    if (caught == null) {
      caught = thrown;
    }
  }

  /**
   * Ends it, and returns to the task around it.
   *
   * @return whether the task ends its actor
   */
  boolean end(@Nullable Throwable thrown) {
    RayCalls.restore(CURRENT, outer);
    Throwable failure = caught == null ? thrown : caught;
    boolean exits = failure != null && isIntended(failure);
    span.end(exits ? null : failure);
    return exits;
  }

  /** {@code Ray.exitActor()} throws an exception that is no failure. */
  private static boolean isIntended(Throwable thrown) {
    return thrown.getClass().getName().endsWith(".RayIntentionalSystemExitException");
  }
}
