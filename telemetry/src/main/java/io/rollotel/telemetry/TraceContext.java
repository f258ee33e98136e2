package io.rollotel.telemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.telemetry.internal.Propagation;
import io.rollotel.telemetry.internal.RunIds;
import io.rollotel.telemetry.internal.Suppression;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The trace context in a payload's {@code meta_info}: under the key {@value #KEY} lies a map of W3C
 * headers ({@code traceparent}, {@code tracestate}, {@code baggage}), as ROLL's {@code
 * telemetry.py} writes and reads it, so that Python and Java share one trace.
 *
 * <p>What comes in a payload is not trusted: wrong types, giant strings and maps that throw are
 * ignored and counted. No method here throws for the sake of tracing. All may be called from any
 * thread, also several at once on one map, as far as the map allows it.
 */
public final class TraceContext {

  /** The key in {@code meta_info}. */
  public static final String KEY = Propagation.KEY;

  /** Beside the headers: the id of the sender's run. */
  public static final String RUN_ID = RunIds.KEY;

  /** Beside the headers: when the sender dispatched, epoch nanoseconds in decimal. */
  public static final String SENT_AT = Propagation.SENT_AT;

  private TraceContext() {}

  /** Writes the current context into the map; see {@link #inject(Map, Context)}. */
  public static Map<String, Object> inject(Map<String, Object> metaInfo) {
    return inject(metaInfo, Context.current());
  }

  /**
   * Writes a context into the map and returns the map. Inside suppression a stale context is
   * removed and none written, so that receivers are suppressed too; where tracing is disabled, the
   * map is left alone. Mirrors ROLL's {@code inject_trace_context}.
   *
   * <p>The carrier under {@value #KEY} is built first, put in one step and never changed
   * afterwards. A map that forbids writing is left as it is, which is logged once.
   */
  public static Map<String, Object> inject(Map<String, Object> metaInfo, Context context) {
    if (Telemetry.enabled()) {
      Propagation.put(metaInfo, context);
    }
    return metaInfo;
  }

  /**
   * The context that the map carries: with the sender's span as current span, or {@link
   * Context#root()} where the map is null or carries none that is valid. Mirrors ROLL's {@code
   * extract_trace_context}.
   */
  public static Context extract(@Nullable Map<String, ?> metaInfo) {
    Object carrier = Propagation.carrier(metaInfo);
    RunIds.received(carrier);
    return Propagation.extract(carrier, Context.root());
  }

  /**
   * Makes the map's context current until the scope is closed, on the same thread. Where the map is
   * null or has no {@value #KEY}, tracing is suppressed inside; where the key is there but holds no
   * valid context, the next span is a new root. Mirrors ROLL's {@code attach_trace_context}.
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

  /** How many carriers were ignored because they held nonsense. */
  public static long ignored() {
    return Propagation.ignored();
  }

  /** Whether the context suppresses tracing: no span is made in it, by whichever tracer. */
  public static boolean isSuppressed(Context context) {
    return Suppression.isSuppressed(context);
  }

  /** The context with tracing suppressed. */
  public static Context suppress(Context context) {
    return Suppression.suppress(context);
  }
}
