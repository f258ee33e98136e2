package io.rollotel.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * While it is open, a run is current on the thread that called {@link Run#makeCurrent}: {@code try
 * (RunScope scope = run.makeCurrent()) { … }}. Closing it does not end the run. No method throws.
 */
public final class RunScope implements AutoCloseable {

  private final RunTelemetry owner;
  private final Run run;
  private final @Nullable Activation activation;
  private final Thread thread = Thread.currentThread();

  // Guarded by this.
  private boolean closed;

  RunScope(RunTelemetry owner, Run run, @Nullable Activation activation) {
    this.owner = owner;
    this.run = run;
    this.activation = activation;
  }

  /** Makes current what was current before, unless the run has ended. Further calls do nothing. */
  @Override
  public void close() {
    if (activation == null) {
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (thread != Thread.currentThread()) {
      owner.misuse().count(MisuseCounts.Kind.OTHER_THREAD);
    }
    run.closed(this);
    leave();
  }

  /** The run is no longer current; on another thread, that one sees to it. */
  void leave() {
    Activation known = activation;
    if (known == null) {
      return;
    }
    if (thread == Thread.currentThread()) {
      owner.guarded(known::leave);
    } else {
      known.abandon();
    }
  }
}
