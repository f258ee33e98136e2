package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.AgentLink;
import io.rollotel.telemetry.internal.CurrentSpan;
import io.rollotel.telemetry.internal.EnvironmentSetting;
import io.rollotel.telemetry.internal.StderrLog;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The way from a record to its trace: inside a span, a log line, an episode or a row of results is
 * stamped with {@code trace_id}, {@code span_id} and {@code traceparent}.
 *
 * <p>Needs opentelemetry-api alone, whoever's SDK runs. Where no span is current there is nothing,
 * never zeros; whether the span is sampled plays no part. No method throws for the sake of tracing;
 * all may be called from any thread.
 */
public final class TraceCorrelation {

  /** The key of the trace's id, 32 lower-case hex digits. */
  public static final String TRACE_ID = "trace_id";

  /** The key of the span's id, 16 lower-case hex digits. */
  public static final String SPAN_ID = "span_id";

  /** The key of both in the form of W3C's header. */
  public static final String TRACEPARENT = "traceparent";

  /** Asked once: to run into a missing class each time is slow. */
  private static final boolean HAS_API = findApi();

  private static final AtomicBoolean FORBIDDEN_SAID = new AtomicBoolean();

  private TraceCorrelation() {}

  /**
   * The current span's place.
   *
   * @param traceId 32 lower-case hex digits
   * @param spanId 16 lower-case hex digits
   * @param traceparent both, and whether the span is sampled, as W3C writes them
   */
  public record Ids(String traceId, String spanId, String traceparent) {}

  /** The current span's ids; empty where no valid span is current. */
  public static Optional<Ids> current() {
    return Optional.ofNullable(ids());
  }

  /**
   * Puts the three fields into the record, where a span is current; else leaves it as it is. A map
   * that forbids writing is left as it is, too.
   *
   * @return the record
   */
  public static <M extends Map<String, ? super String>> M stamp(M record) {
    fields((key, text) -> record.put(key, text));
    return record;
  }

  /**
   * Hands the three fields, where a span is current, to a record of any kind: {@code
   * TraceCorrelation.fields(node::put)}.
   *
   * @param put takes a key and a text
   */
  public static void fields(BiConsumer<String, String> put) {
    Ids ids = ids();
    if (ids == null) {
      return;
    }
    try {
      put.accept(TRACE_ID, ids.traceId);
      put.accept(SPAN_ID, ids.spanId);
      put.accept(TRACEPARENT, ids.traceparent);
    } catch (RuntimeException | LinkageError forbidden) {
      if (FORBIDDEN_SAID.compareAndSet(false, true)) {
        StderrLog.warn(
            "a record cannot be changed and has no trace (logged once): "
                + forbidden.getClass().getName());
      }
    }
  }

  /**
   * A link to the current span in a trace viewer, by the template in {@code
   * ROLL_OTEL_TRACE_URL_TEMPLATE}; empty where there is none or no span is current.
   */
  public static Optional<String> link() {
    return link(
        EnvironmentSetting.read("ROLL_OTEL_TRACE_URL_TEMPLATE", "roll.otel.trace.url.template"));
  }

  /**
   * A link to the current span; empty where no span is current.
   *
   * @param template a URL in which {@code {trace_id}}, {@code {span_id}} and {@code {traceparent}}
   *     are replaced; null gives nothing
   */
  public static Optional<String> link(@Nullable String template) {
    if (template == null || template.isBlank()) {
      return Optional.empty();
    }
    Ids ids = ids();
    return ids == null
        ? Optional.empty()
        : Optional.of(
            template
                .trim()
                .replace("{trace_id}", ids.traceId)
                .replace("{span_id}", ids.spanId)
                .replace("{traceparent}", ids.traceparent));
  }

  /** Whether this class sees opentelemetry-api. */
  static boolean hasApi() {
    return HAS_API;
  }

  private static boolean findApi() {
    try {
      Class.forName(
          "io.opentelemetry.context.Context", false, TraceCorrelation.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError absent) {
      return false;
    }
  }

  private static @Nullable Ids ids() {
    String[] ids = null;
    try {
      if (HAS_API) {
        ids = CurrentSpan.ids();
      } else {
        // The agent may trace through an API of its own.
        AgentLink agent = AgentLink.get();
        ids = agent == null ? null : agent.currentTrace();
      }
    } catch (RuntimeException | LinkageError broken) {
      // Another's span or storage: then nothing is known.
    }
    return ids == null ? null : new Ids(ids[0], ids[1], ids[2]);
  }
}
