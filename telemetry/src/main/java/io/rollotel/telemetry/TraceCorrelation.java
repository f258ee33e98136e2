package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.AgentLink;
import io.rollotel.telemetry.internal.CurrentSpan;
import io.rollotel.telemetry.internal.EnvironmentSetting;
import io.rollotel.telemetry.internal.StderrLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Links a record to its trace: adds {@code trace_id}, {@code span_id} and {@code traceparent} of
 * the current span to a log line, an episode or a row of results.
 *
 * <p>It needs only opentelemetry-api, and works with any SDK. If no span is current, nothing is
 * added. It makes no difference whether the span is sampled. No method throws because of tracing.
 * All methods may be called from any thread.
 */
public final class TraceCorrelation {

  /** The key of the trace ID, 32 lowercase hex digits. */
  public static final String TRACE_ID = "trace_id";

  /** The key of the span ID, 16 lowercase hex digits. */
  public static final String SPAN_ID = "span_id";

  /** The key of both IDs in the form of the W3C header. */
  public static final String TRACEPARENT = "traceparent";

  /** Checked once, because failing to load a missing class each time is slow. */
  private static final boolean HAS_API = findApi();

  private static final AtomicBoolean FORBIDDEN_LOGGED = new AtomicBoolean();
  private static final Pattern TEMPLATE =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*\\{(trace_id|span_id|traceparent)\\}.*");

  private static final AtomicBoolean TEMPLATE_LOGGED = new AtomicBoolean();

  private TraceCorrelation() {}

  /**
   * The IDs of the current span.
   *
   * @param traceId 32 lowercase hex digits
   * @param spanId 16 lowercase hex digits
   * @param traceparent both IDs, and whether the span is sampled, in the form of the W3C header
   */
  public record Ids(String traceId, String spanId, String traceparent) {

    private List<Map.Entry<String, String>> fields() {
      return List.of(
          Map.entry(TRACE_ID, traceId),
          Map.entry(SPAN_ID, spanId),
          Map.entry(TRACEPARENT, traceparent));
    }
  }

  /** The IDs of the current span. Empty if no valid span is current. */
  public static Optional<Ids> current() {
    return Optional.ofNullable(ids());
  }

  /**
   * Adds the three fields to a record if a span is current. A record that already has a trace ID
   * stays as it is, and so do other fields that it has. An immutable map does not change.
   *
   * @return the record
   */
  public static <M extends Map<String, ? super String>> M stamp(M record) {
    stamp(ids(), record);
    return record;
  }

  /** Does nothing without ids. */
  static void stamp(@Nullable Ids ids, Map<String, ? super String> record) {
    if (ids == null) {
      return;
    }
    List<String> added = new ArrayList<>();
    try {
      if (record.get(TRACE_ID) == null) {
        for (Map.Entry<String, String> field : ids.fields()) {
          if (record.get(field.getKey()) == null) {
            record.put(field.getKey(), field.getValue());
            added.add(field.getKey());
          }
        }
      }
    } catch (RuntimeException | LinkageError forbidden) {
      refused(forbidden);
      remove(added, record);
    }
  }

  /** Half of the ids would be taken for all that there is. */
  private static void remove(List<String> keys, Map<String, ? super String> record) {
    try {
      keys.forEach(record::remove);
    } catch (RuntimeException | LinkageError forbidden) {
      // Then they stay, and the message has been logged.
    }
  }

  /**
   * Passes the three fields to a record of any kind if a span is current: {@code
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
      ids.fields().forEach(field -> put.accept(field.getKey(), field.getValue()));
    } catch (RuntimeException | LinkageError forbidden) {
      refused(forbidden);
    }
  }

  private static void refused(Throwable forbidden) {
    if (FORBIDDEN_LOGGED.compareAndSet(false, true)) {
      StderrLog.warn(
          "trace ids could not be added to a record: its map refused them (logged once): "
              + forbidden.getClass().getName());
    }
  }

  /**
   * A link to the current span in a trace viewer, from the template in {@code
   * ROLL_OTEL_TRACE_URL_TEMPLATE}. Empty if there is no template, or if no span is current.
   */
  public static Optional<String> link() {
    return link(template(), ids());
  }

  /** The template of the environment; null if there is none, or none that can be used. */
  static @Nullable String template() {
    String template =
        EnvironmentSetting.read("ROLL_OTEL_TRACE_URL_TEMPLATE", "roll.otel.trace.url.template");
    if (template == null || template.isBlank() || isTemplate(template.trim())) {
      return template;
    }
    AgentLink agent = AgentLink.get();
    if ((agent == null || !agent.active()) && TEMPLATE_LOGGED.compareAndSet(false, true)) {
      StderrLog.warn(
          "ROLL_OTEL_TRACE_URL_TEMPLATE is not a URL with {trace_id}, {span_id} or {traceparent};"
              + " there are no links");
    }
    return null;
  }

  /** The agent has the same rule: {@code CollectorTable.TRACE_URL_TEMPLATE}. */
  private static boolean isTemplate(String text) {
    return TEMPLATE.matcher(text).matches();
  }

  /**
   * A link to the current span. Empty if no span is current.
   *
   * @param template a URL in which {@code {trace_id}}, {@code {span_id}} and {@code {traceparent}}
   *     are replaced; null gives an empty result
   */
  public static Optional<String> link(@Nullable String template) {
    return link(template, ids());
  }

  static Optional<String> link(@Nullable String template, @Nullable Ids ids) {
    return ids == null || template == null || template.isBlank()
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
        // The agent may trace through its own copy of the API.
        AgentLink agent = AgentLink.get();
        ids = agent == null ? null : agent.currentTrace();
      }
    } catch (RuntimeException | LinkageError broken) {
      // A foreign span or storage: then the ids are unknown.
    }
    return ids == null ? null : new Ids(ids[0], ids[1], ids[2]);
  }
}
