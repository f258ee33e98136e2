package io.rollotel.telemetry;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
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
  public static final String KEY = "_otel_ctx";

  /** Beside the headers: when the sender dispatched, epoch nanoseconds in decimal. */
  public static final String SENT_AT = "roll.sent_at";

  /** W3C asks for 512 characters of tracestate at least; four times that is patience enough. */
  private static final int LONGEST_HEADER = 2048;

  /** As much as W3C asks everybody to pass on, in characters and in entries. */
  private static final int LONGEST_BAGGAGE = 8192;

  private static final int MOST_BAGGAGE = 64;

  private static final String BAGGAGE = "baggage";

  /** Without an agent, where nobody else looks for it. */
  private static final ContextKey<Boolean> OWN_SUPPRESSED =
      ContextKey.named("roll-otel-suppressed");

  /** Initialised when there is an agent: it may be attached at any time. */
  private static final class Shared {
    static final ContextKey<Boolean> SUPPRESSED = suppressionKey();
  }

  private static final LongAdder IGNORED = new LongAdder();
  private static final AtomicBoolean IGNORE_SAID = new AtomicBoolean();
  private static final AtomicBoolean WRITE_FAILED = new AtomicBoolean();

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
      put(metaInfo, context);
    }
    return metaInfo;
  }

  /** {@link #inject(Map, Context)} for the agent, which knows that tracing is enabled. */
  public static void put(Map<String, Object> metaInfo, Context context) {
    try {
      if (isSuppressed(context)) {
        if (metaInfo.containsKey(KEY)) {
          metaInfo.remove(KEY);
        }
        return;
      }
      Map<String, String> carrier = new HashMap<>(8);
      W3CTraceContextPropagator.getInstance().inject(context, carrier, Map::put);
      if (!Baggage.fromContext(context).isEmpty()) {
        putBaggage(carrier, context);
      }
      carrier.put(SENT_AT, Long.toString(epochNanos()));
      metaInfo.put(KEY, carrier);
    } catch (Throwable t) {
      if (WRITE_FAILED.compareAndSet(false, true)) {
        // By its class: a foreign map's exception may be hostile as well.
        Log.warn(
            "a payload's meta_info cannot be written, it travels without trace context: "
                + t.getClass().getName());
      }
    }
  }

  /**
   * The context that the map carries: with the sender's span as current span, or {@link
   * Context#root()} where the map is null or carries none that is valid. Mirrors ROLL's {@code
   * extract_trace_context}.
   */
  public static Context extract(@Nullable Map<String, ?> metaInfo) {
    return extract(carrier(metaInfo), Context.root());
  }

  /**
   * Makes the map's context current until the scope is closed, on the same thread. Where the map is
   * null or has no {@value #KEY}, tracing is suppressed inside; where the key is there but holds no
   * valid context, the next span is a new root. Mirrors ROLL's {@code attach_trace_context}.
   */
  @SuppressWarnings("MustBeClosedChecker") // the caller closes it
  public static Scope attach(@Nullable Map<String, ?> metaInfo) {
    Object carrier = carrier(metaInfo);
    if (carrier == null) {
      return suppress(Context.current()).makeCurrent();
    }
    return extract(carrier, Context.root()).makeCurrent();
  }

  /**
   * What lies under {@value #KEY}, whatever it is; null where the map is null, lacks the key or
   * throws.
   */
  public static @Nullable Object carrier(@Nullable Map<String, ?> metaInfo) {
    if (metaInfo == null) {
      return null;
    }
    try {
      Object carrier = metaInfo.get(KEY);
      // A key with the value null is there; it only carries nothing.
      return carrier != null || !metaInfo.containsKey(KEY) ? carrier : Map.of();
    } catch (Throwable t) {
      ignore();
      return null;
    }
  }

  /**
   * The base context with the carrier's span as its current span, or the base itself where the
   * carrier holds no valid context.
   *
   * @param carrier what {@link #carrier} gave
   */
  public static Context extract(@Nullable Object carrier, Context base) {
    if (!(carrier instanceof Map<?, ?> headers)) {
      if (carrier != null) {
        ignore();
      }
      return base;
    }
    try {
      Context extracted =
          W3CTraceContextPropagator.getInstance().extract(base, headers, Headers.GETTER);
      if (extracted == base && headers.containsKey("traceparent")) {
        ignore();
      }
      Object baggage = headers.get(BAGGAGE);
      return baggage == null ? extracted : withBaggage(extracted, headers, baggage);
    } catch (Throwable t) {
      ignore();
      return base;
    }
  }

  /** What would be ignored at the other end is not sent. */
  private static void putBaggage(Map<String, String> carrier, Context context) {
    W3CBaggagePropagator.getInstance().inject(context, carrier, Map::put);
    String baggage = carrier.get(BAGGAGE);
    if (baggage != null && !isTolerable(baggage)) {
      carrier.remove(BAGGAGE);
      ignore();
    }
  }

  private static Context withBaggage(Context context, Map<?, ?> headers, Object baggage) {
    if (!(baggage instanceof String header) || !isTolerable(header)) {
      ignore();
      return context;
    }
    Context extracted =
        W3CBaggagePropagator.getInstance().extract(context, headers, Headers.GETTER);
    if (extracted != context && !Baggage.fromContext(extracted).isEmpty()) {
      return extracted;
    }
    if (!header.isBlank()) {
      ignore();
    }
    return context;
  }

  private static boolean isTolerable(String baggage) {
    return baggage.length() <= LONGEST_BAGGAGE
        && baggage.chars().filter(c -> c == ',').count() < MOST_BAGGAGE;
  }

  /**
   * When the sender dispatched, in epoch nanoseconds; 0 where the carrier does not say.
   *
   * @param carrier what {@link #carrier} gave
   */
  public static long sentAtEpochNanos(@Nullable Object carrier) {
    try {
      return carrier instanceof Map<?, ?> headers && headers.get(SENT_AT) instanceof String sentAt
          ? Math.max(0, Long.parseLong(sentAt))
          : 0;
    } catch (Throwable nonsense) {
      ignore();
      return 0;
    }
  }

  /** Now, as {@link #SENT_AT} counts. */
  public static long epochNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** Counts, and says the first time: not what the payload held, which is not ours to print. */
  private static void ignore() {
    IGNORED.increment();
    if (IGNORE_SAID.compareAndSet(false, true)) {
      Log.warn(
          "a payload's " + KEY + " holds no valid trace context and is ignored (said only once)");
    }
  }

  /** How many carriers were ignored because they held nonsense. */
  public static long ignored() {
    return IGNORED.sum();
  }

  /** Whether the context suppresses tracing: no span is made in it, by whichever tracer. */
  public static boolean isSuppressed(Context context) {
    return Boolean.TRUE.equals(context.get(suppressed()));
  }

  /**
   * Whether no span is made of this parent on this thread: inside suppression a parent chosen by
   * hand, or none, changes nothing. For the agent's sampler.
   */
  public static boolean isSpanSuppressed(Context parent) {
    Boolean suppressed = parent.get(suppressed());
    return suppressed == null ? isSuppressed(Context.current()) : suppressed;
  }

  /** The context with tracing not suppressed, even where it is on this thread. For the agent. */
  public static Context release(Context context) {
    return context.with(suppressed(), Boolean.FALSE);
  }

  /** The context with tracing suppressed. */
  public static Context suppress(Context context) {
    return isSuppressed(context) ? context : context.with(suppressed(), Boolean.TRUE);
  }

  private static ContextKey<Boolean> suppressed() {
    return AgentLink.get() == null ? OWN_SUPPRESSED : Shared.SUPPRESSED;
  }

  @SuppressWarnings("unchecked") // the supplier is the only maker of what comes back
  private static ContextKey<Boolean> suppressionKey() {
    Supplier<ContextKey<Boolean>> create = () -> OWN_SUPPRESSED;
    AgentLink agent = AgentLink.get();
    Object shared = agent == null ? null : agent.suppressionKey(ContextKey.class, create);
    return shared == null ? OWN_SUPPRESSED : (ContextKey<Boolean>) shared;
  }

  /** Reads strings out of an untrusted map. */
  private enum Headers implements TextMapGetter<Map<?, ?>> {
    GETTER;

    @Override
    public Iterable<String> keys(Map<?, ?> carrier) {
      return Set.of("traceparent", "tracestate", BAGGAGE);
    }

    @Override
    public @Nullable String get(@Nullable Map<?, ?> carrier, String key) {
      return carrier != null
              && carrier.get(key) instanceof String value
              && value.length() <= (key.equals(BAGGAGE) ? LONGEST_BAGGAGE : LONGEST_HEADER)
          ? value
          : null;
    }
  }
}
