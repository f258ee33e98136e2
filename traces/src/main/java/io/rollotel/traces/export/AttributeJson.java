package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.JsonRows;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * The attributes of a span in the forms of other tools. They are converted through text, so that an
 * unpaired surrogate becomes a question mark instead of a failure.
 */
final class AttributeJson {

  private static final List<String> KINDS =
      List.of("unspecified", "internal", "server", "client", "producer", "consumer");

  private static final Set<String> OWN_KEYS =
      Set.of("trace_id", "span_id", "parent_span_id", "adjusted_count", "error");

  private AttributeJson() {}

  /** How many spans one stands for, without needless digits. */
  static String count(double weight) {
    return weight == Math.rint(weight)
        ? Long.toString((long) weight)
        : BigDecimal.valueOf(weight).toPlainString();
  }

  /**
   * The writer for a generator, because the generator's own encoder fails at an unpaired surrogate.
   */
  static Writer utf8(OutputStream out) {
    return new OutputStreamWriter(out, UTF_8);
  }

  /**
   * An object with the attributes by their keys, and why the span failed. What {@link
   * PerfettoExport} adds has keys of its own.
   */
  static byte[] object(Span span) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      for (Map.Entry<String, Object> attribute : span.attributes().entrySet()) {
        json.writeName(key(span, attribute.getKey()));
        value(json, attribute.getValue());
      }
      if (span.statusCode() == Span.STATUS_ERROR) {
        json.writeStringProperty("error", span.failure());
      }
      json.writeEndObject();
    }
    return text.toString().getBytes(UTF_8);
  }

  /** The attribute's key, with a prefix if the export adds an argument of that name. */
  private static String key(Span span, String recorded) {
    String key = recorded;
    while (OWN_KEYS.contains(key)
        || (!key.equals(recorded) && span.attributes().containsKey(key))) {
      key = "attribute." + key;
    }
    return key;
  }

  /** An array of Jaeger's tags: a key, a type and a value each. */
  static byte[] jaegerTags(Span span) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartArray();
      span.attributes().forEach((key, value) -> jaegerTag(json, key, value));
      if (!span.scopeName().isEmpty()) {
        jaegerTag(json, "otel.scope.name", span.scopeName());
      }
      if (span.kind() > 0 && span.kind() < KINDS.size()) {
        jaegerTag(json, "span.kind", KINDS.get(span.kind()));
      }
      if (span.statusCode() == Span.STATUS_ERROR) {
        jaegerTag(json, "error", true);
        jaegerTag(json, "otel.status_code", "ERROR");
        if (!span.failure().isEmpty()) {
          jaegerTag(json, "otel.status_description", span.failure());
        }
      }
      json.writeEndArray();
    }
    return text.toString().getBytes(UTF_8);
  }

  static void jaegerTag(JsonGenerator json, String key, Object value) {
    json.writeStartObject();
    json.writeStringProperty("key", key);
    if (value instanceof Boolean bool) {
      json.writeStringProperty("type", "bool");
      json.writeBooleanProperty("value", bool);
    } else if (value instanceof Long number) {
      json.writeStringProperty("type", "int64");
      json.writeNumberProperty("value", number);
    } else if (value instanceof Double number && Double.isFinite(number)) {
      json.writeStringProperty("type", "float64");
      json.writeNumberProperty("value", number);
    } else {
      json.writeStringProperty("type", "string");
      json.writeStringProperty("value", text(value));
    }
    json.writeEndObject();
  }

  /** A list or a map as its JSON. */
  private static String text(Object value) {
    if (!(value instanceof List<?>) && !(value instanceof Map<?, ?>)) {
      return value instanceof byte[] bytes
          ? Base64.getEncoder().encodeToString(bytes)
          : value.toString();
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      value(json, value);
    }
    return text.toString();
  }

  private static void value(JsonGenerator json, Object value) {
    if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value instanceof Long number) {
      json.writeNumber(number);
    } else if (value instanceof Double number && Double.isFinite(number)) {
      json.writeNumber(number);
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      list.forEach(element -> value(json, element));
      json.writeEndArray();
    } else if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      map.forEach(
          (key, element) -> {
            json.writeName(key.toString());
            value(json, element);
          });
      json.writeEndObject();
    } else {
      json.writeString(text(value));
    }
  }
}
