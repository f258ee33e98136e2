package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.StderrLog;
import io.rollotel.telemetry.internal.WorkerSpanContext;
import org.jspecify.annotations.Nullable;

/**
 * The current worker span of this thread, for what only the worker's own code knows: {@code
 * WorkerSpan.current().set("reward", 0.5)}. In spans made by hand below the worker span, and on
 * other threads that the context has followed, it is still the worker's. Outside a worker span, all
 * methods do nothing.
 *
 * <p>A name that has an equivalent in OpenTelemetry's proposed {@code rl.*} conventions is set
 * under both: see docs/runs.md. No method throws. All methods may be called from any thread.
 */
public final class WorkerSpan {

  private static final WorkerSpan NONE = new WorkerSpan(null);

  private final @Nullable WorkerSpanContext attributes;

  private WorkerSpan(@Nullable WorkerSpanContext attributes) {
    this.attributes = attributes;
  }

  /** The worker span around this call. If there is none, an object that ignores all values. */
  public static WorkerSpan current() {
    try {
      WorkerSpanContext found = TraceCorrelation.hasApi() ? WorkerSpanContext.current() : null;
      return found == null ? NONE : new WorkerSpan(found);
    } catch (RuntimeException | LinkageError anothers) {
      return NONE;
    }
  }

  /** Whether values that are set are kept. */
  public boolean isRecording() {
    return attributes != null;
  }

  /** Sets an attribute. A null key or text is ignored. */
  public WorkerSpan set(@Nullable String key, @Nullable String text) {
    return text == null ? this : put(key, text);
  }

  /** Sets an attribute. NaN is ignored. */
  public WorkerSpan set(@Nullable String key, double number) {
    return Double.isNaN(number) ? this : put(key, number);
  }

  /** Sets an attribute. */
  public WorkerSpan set(@Nullable String key, long number) {
    return put(key, number);
  }

  /** Sets an attribute. */
  public WorkerSpan set(@Nullable String key, int number) {
    return put(key, (long) number);
  }

  /** Sets an attribute. */
  public WorkerSpan set(@Nullable String key, boolean flag) {
    return put(key, flag);
  }

  private WorkerSpan put(@Nullable String key, Object value) {
    WorkerSpanContext known = attributes;
    if (known != null && key != null && !key.isBlank()) {
      try {
        known.set(key, value);
        String proposed = RlNames.of(key);
        if (proposed != null) {
          known.set(proposed, value);
        }
      } catch (RuntimeException | LinkageError another) {
        StderrLog.info("a worker span takes no attribute: " + another.getClass().getName());
      }
    }
    return this;
  }
}
