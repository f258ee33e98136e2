package io.rollotel.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * While it is open, a run is current on the thread that called {@link Run#makeCurrent}: {@code try
 * (RunScope scope = run.makeCurrent()) { … }}. Closing it does not end the run. No method throws.
 */
public final class RunScope implements AutoCloseable {

  private final RunTelemetry owner;
  private final @Nullable Activation activation;
  private final Thread thread = Thread.currentThread();

  // Guarded by this.
  private boolean closed;

  RunScope(RunTelemetry owner, @Nullable Activation activation) {
    this.owner = owner;
    this.activation = activation;
  }

  /** Makes current what was current before. Further calls do nothing. */
  @Override
  public void close() {
    Activation known = activation;
    if (known == null) {
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (thread == Thread.currentThread()) {
      owner.guarded(known::leave);
    } else {
      owner.misuse().count(MisuseCounts.Kind.OTHER_THREAD);
      known.abandon();
    }
  }
}
