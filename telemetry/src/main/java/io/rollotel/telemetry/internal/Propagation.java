package io.rollotel.telemetry.internal;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Writes a context into a payload's {@code meta_info} and reads it back: the carrier under {@value
 * #KEY}, a map of W3C headers.
 *
 * <p>The contents of a payload are not trusted: wrong types, giant strings and maps that throw are
 * ignored and counted. No method here throws for the sake of tracing.
 */
public final class Propagation {

  /** The carrier's key in {@code meta_info}. */
  public static final String KEY = "_otel_ctx";

  /** Beside the headers: when the sender dispatched, epoch nanoseconds in decimal. */
  public static final String SENT_AT = "roll.sent_at";

  private static final String TRACEPARENT = "traceparent";
  private static final String TRACESTATE = "tracestate";
  private static final String BAGGAGE = "baggage";

  private static final LongAdder IGNORED = new LongAdder();
  private static final AtomicBoolean IGNORE_LOGGED = new AtomicBoolean();

  /** The first failures are looked at more closely, since walking the stack takes time. */
  private static final int CLOSE_LOOKS = 1_000;

  private static final int MOST_SENDERS = 10;
  private static final AtomicInteger WRITE_FAILURES = new AtomicInteger();
  private static final Set<String> FAILED_SENDERS = ConcurrentHashMap.newKeySet();

  private Propagation() {}

  /**
   * Writes a context into the map; inside suppression, removes an existing one. The caller knows
   * that tracing is enabled. A read-only map is left unchanged, which is logged once.
   */
  public static void put(@Nullable Map<String, Object> metaInfo, Context context) {
    if (metaInfo == null) {
      return;
    }
    try {
      if (Suppression.isSuppressed(context)) {
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
      String runId = RunIds.toSend();
      if (runId != null) {
        carrier.put(RunIds.KEY, runId);
      }
      metaInfo.put(KEY, carrier);
    } catch (Throwable t) {
      passOnStop(t);
      if (WRITE_FAILURES.get() < CLOSE_LOOKS) {
        WRITE_FAILURES.incrementAndGet();
        writeFailed(t, metaInfo);
      }
    }
  }

  /**
   * {@code Thread.stop}, which works up to JDK 19, may reach a thread anywhere, and the thread must
   * end: its error is not one of tracing. In a class that is loaded by then, since a stop that
   * reaches a thread while it loads a class costs the JVM that class.
   */
  static void passOnStop(Throwable thrown) {
    if (thrown instanceof Error error
        && !(error instanceof VirtualMachineError) // there may be no stack for more
        && error.getClass().getName().equals("java.lang.ThreadDeath")) { // gone in later JDKs
      throw error;
    }
  }

  private static void writeFailed(Throwable failure, Map<String, Object> metaInfo) {
    String sender = sender();
    if (FAILED_SENDERS.size() < MOST_SENDERS && FAILED_SENDERS.add(sender)) {
      // By its class: a foreign map's exception may be hostile as well.
      StderrLog.warn(
          "a payload's meta_info cannot be written; the payload carries no trace context: "
              + failure.getClass().getName()
              + " of "
              + metaInfo.getClass().getName()
              + sender
              + " (logged once for each method)");
    }
  }

  /** The method that sends, as it stands on this thread's stack. */
  private static String sender() {
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      String name = frame.getClassName();
      if (!name.startsWith("io.rollotel.telemetry.") && !name.startsWith("io.rollotel.agent.")) {
        return ", in " + name + "." + frame.getMethodName();
      }
    }
    return "";
  }

  /**
   * The value under {@value #KEY}, of any type; null if the map is null, lacks the key or throws.
   */
  public static @Nullable Object carrier(@Nullable Map<String, ?> metaInfo) {
    if (metaInfo == null) {
      return null;
    }
    try {
      Object carrier = metaInfo.get(KEY);
      // A key with the value null is present; it just carries nothing.
      return carrier != null || !metaInfo.containsKey(KEY) ? carrier : Map.of();
    } catch (Throwable t) {
      passOnStop(t);
      ignore();
      return null;
    }
  }

  /**
   * The base context with the carrier's span as its current span, or the base itself if the carrier
   * holds no valid context.
   *
   * @param carrier the result of {@link #carrier}
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
      if (extracted == base && headers.containsKey(TRACEPARENT)) {
        ignore();
      }
      Object baggage = headers.get(BAGGAGE);
      return baggage == null ? extracted : withBaggage(extracted, baggage);
    } catch (Throwable t) {
      passOnStop(t);
      ignore();
      return base;
    }
  }

  /** Data that the receiver would ignore is not sent. */
  private static void putBaggage(Map<String, String> carrier, Context context) {
    W3CBaggagePropagator.getInstance().inject(context, carrier, Map::put);
    String baggage = carrier.get(BAGGAGE);
    if (baggage != null && !isTolerable(baggage)) {
      carrier.remove(BAGGAGE);
      ignore();
    }
  }

  private static Context withBaggage(Context context, Object value) {
    String header = CarrierHeader.baggage(value);
    Baggage baggage = header == null ? Baggage.empty() : BaggageHeader.parse(header);
    if (!baggage.isEmpty()) {
      return context.with(baggage);
    }
    if (header == null || !header.isBlank()) {
      ignore();
    }
    return context;
  }

  /** The length that W3C requires everybody to pass on. */
  private static boolean isTolerable(String baggage) {
    return baggage.length() <= CarrierHeader.LONGEST
        && baggage.chars().filter(c -> c == ',').count() < BaggageHeader.MOST_MEMBERS;
  }

  /**
   * When the sender dispatched, in epoch nanoseconds; 0 if the carrier does not say.
   *
   * @param carrier the result of {@link #carrier}
   */
  public static long sentAtEpochNanos(@Nullable Object carrier) {
    try {
      return carrier instanceof Map<?, ?> headers && headers.get(SENT_AT) instanceof String sentAt
          ? Math.max(0, Long.parseLong(sentAt))
          : 0;
    } catch (Throwable nonsense) {
      passOnStop(nonsense);
      ignore();
      return 0;
    }
  }

  /** Now, as {@link #SENT_AT} counts. */
  public static long epochNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /**
   * Counts it, and logs the first one without the payload's contents, which must not be printed.
   */
  private static void ignore() {
    IGNORED.increment();
    if (IGNORE_LOGGED.compareAndSet(false, true)) {
      StderrLog.warn(
          "a payload's " + KEY + " holds no valid trace context and is ignored (logged once)");
    }
  }

  /** How many carriers were ignored because they held nonsense. */
  public static long ignored() {
    return IGNORED.sum();
  }

  /** Reads headers out of an untrusted map. */
  private enum Headers implements TextMapGetter<Map<?, ?>> {
    GETTER;

    @Override
    public Iterable<String> keys(Map<?, ?> carrier) {
      return Set.of(TRACEPARENT, TRACESTATE);
    }

    @Override
    public @Nullable String get(@Nullable Map<?, ?> carrier, String key) {
      if (carrier == null) {
        return null;
      }
      Object value = carrier.get(key);
      return key.equals(TRACESTATE)
          ? CarrierHeader.tracestate(value)
          : CarrierHeader.traceparent(value);
    }
  }
}
