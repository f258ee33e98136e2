package io.rollotel.telemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.telemetry.internal.Propagation;
import io.rollotel.telemetry.internal.RunIds;
import io.rollotel.telemetry.internal.Suppression;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the trace context in a payload's {@code meta_info}. The key {@value #KEY} holds
 * a map of W3C headers ({@code traceparent}, {@code tracestate}, {@code baggage}). ROLL's {@code
 * telemetry.py} reads and writes the same, so Python and Java share one trace.
 *
 * <p>The contents of a payload are not trusted: wrong types, giant strings and maps that throw are
 * ignored and counted. No method throws because of tracing. All methods may be called from any
 * thread, and from several at once on one map if the map allows it.
 */
public final class TraceContext {

  /** The key in {@code meta_info}. */
  public static final String KEY = Propagation.KEY;

  /** The key, beside the headers, of the ID of the sender's run. */
  public static final String RUN_ID = RunIds.KEY;

  /** The key, beside the headers, of the time of sending: epoch nanoseconds in decimal. */
  public static final String SENT_AT = Propagation.SENT_AT;

  private TraceContext() {}

  /** Writes the current context into the map; see {@link #inject(Map, Context)}. */
  public static Map<String, Object> inject(Map<String, Object> metaInfo) {
    return inject(metaInfo, Context.current());
  }

  /**
   * Writes a context into the map and returns the map. If the context is suppressed, an earlier
   * context is removed and none is written, so receivers are suppressed as well. If tracing is
   * disabled, the map does not change. Mirrors ROLL's {@code inject_trace_context}.
   *
   * <p>The carrier under {@value #KEY} is built first, put in one step, and never changed
   * afterwards. An immutable map does not change; the first one is logged.
   */
  public static Map<String, Object> inject(Map<String, Object> metaInfo, Context context) {
    if (Telemetry.enabled()) {
      Propagation.put(metaInfo, context);
    }
    return metaInfo;
  }

  /**
   * The context in the map, with the sender's span as current span. {@link Context#root()} if the
   * map is null or holds no valid context. Mirrors ROLL's {@code extract_trace_context}.
   */
  public static Context extract(@Nullable Map<String, ?> metaInfo) {
    Object carrier = Propagation.carrier(metaInfo);
    RunIds.received(carrier);
    return Propagation.extract(carrier, Context.root());
  }

  /**
   * Makes the context in the map current on this thread until the scope is closed. If the map is
   * null or has no {@value #KEY}, tracing is suppressed in the scope. If the key holds no valid
   * context, the next span is a new root. Mirrors ROLL's {@code attach_trace_context}.
   */
  @SuppressWarnings("MustBeClosedChecker") // the caller closes it
  public static Scope attach(@Nullable Map<String, ?> metaInfo) {
    Object carrier = Propagation.carrier(metaInfo);
    if (carrier == null) {
      return Suppression.suppress(Context.current()).makeCurrent();
    }
    RunIds.received(carrier);
    return Propagation.extract(carrier, Context.root()).makeCurrent();
  }

  /** The number of carriers that were ignored because they were malformed. */
  public static long ignored() {
    return Propagation.ignored();
  }

  /**
   * Whether tracing is suppressed in the context: no tracer makes a span in it. Null is the root
   * context.
   */
  public static boolean isSuppressed(@Nullable Context context) {
    return context != null && Suppression.isSuppressed(context);
  }

  /** The same context with tracing suppressed. Null is the root context. */
  public static Context suppress(@Nullable Context context) {
    return Suppression.suppress(context == null ? Context.root() : context);
  }
}
