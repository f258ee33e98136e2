package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.SpanTags;
import java.io.StringWriter;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * The details of a span that the page shows on a click: {@code
 * {"a":{attributes},"error":"reason"}}.
 *
 * <p>Bounded, since it is kept for every span: long texts are cut, and once the total is too large,
 * only errors are kept.
 */
final class PageTags implements SpanTags.Form {

  private static final byte[] NONE = {};

  private static final int MAX_TEXT = 16 << 10;
  private static final int MAX_ATTRIBUTES = 128;
  private static final int MAX_ELEMENTS = 256;
  private static final int MAX_DEPTH = 6;

  private static final long EXACT_IN_JAVASCRIPT = 1L << 53;

  private static final JsonFactory ONE_AFTER_ANOTHER =
      JsonFactory.builder()
          .rootValueSeparator("")
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  private final long maxBytes;
  private final PageEvents events;

  // For all spans, since creating a generator costs as much as what it writes for a span. They are
  // converted through text, so that an unpaired surrogate becomes a question mark instead of a
  // failure.
  private final StringWriter text = new StringWriter();
  private final JsonGenerator json =
      ONE_AFTER_ANOTHER.createGenerator(ObjectWriteContext.empty(), text);

  private long bytes;
  private int spans;

  PageTags(long maxBytes) {
    this.maxBytes = maxBytes;
    this.events = new PageEvents(maxBytes / 8);
  }

  /** Events and links, which only few spans have. */
  PageEvents events() {
    return events;
  }

  @Override
  public byte[] json(Span span) {
    boolean isError = span.statusCode() == Span.STATUS_ERROR;
    events.see(spans++, span);
    if (bytes > (isError ? 2 * maxBytes : maxBytes)) {
      return NONE;
    }
    text.getBuffer().setLength(0);
    json.writeStartObject();
    if (!span.attributes().isEmpty()) {
      json.writeName("a");
      object(json, span.attributes(), 0);
    }
    if (isError) {
      json.writeStringProperty("error", cut(span.failure()));
    }
    json.writeEndObject();
    json.flush();
    byte[] made = text.toString().getBytes(UTF_8);
    bytes += made.length;
    return made;
  }

  /** Some attributes, with the same bound. */
  static String text(Map<?, ?> attributes) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      object(json, attributes, 0);
    }
    return text.toString();
  }

  private static void object(JsonGenerator json, Map<?, ?> map, int depth) {
    json.writeStartObject();
    int left = MAX_ATTRIBUTES;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (left-- == 0) {
        json.writeStringProperty("…", (map.size() - MAX_ATTRIBUTES) + " more");
        break;
      }
      json.writeName(cut(String.valueOf(entry.getKey())));
      value(json, entry.getValue(), depth + 1);
    }
    json.writeEndObject();
  }

  private static boolean isExact(long number) {
    return number > -EXACT_IN_JAVASCRIPT && number < EXACT_IN_JAVASCRIPT;
  }

  private static void value(JsonGenerator json, Object value, int depth) {
    if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value instanceof Long number && isExact(number)) {
      json.writeNumber(number);
    } else if (value instanceof Double number && Double.isFinite(number)) {
      json.writeNumber(number);
    } else if (value instanceof List<?> list && depth < MAX_DEPTH) {
      json.writeStartArray();
      for (Object element : list.subList(0, Math.min(list.size(), MAX_ELEMENTS))) {
        value(json, element, depth + 1);
      }
      if (list.size() > MAX_ELEMENTS) {
        json.writeString((list.size() - MAX_ELEMENTS) + " more");
      }
      json.writeEndArray();
    } else if (value instanceof Map<?, ?> map && depth < MAX_DEPTH) {
      object(json, map, depth);
    } else if (value instanceof byte[] bytes) {
      json.writeString(cut(Base64.getEncoder().encodeToString(bytes)));
    } else {
      json.writeString(cut(String.valueOf(value)));
    }
  }

  /** Long texts are cut, with a mark at the end. */
  static String cut(String text) {
    return cut(text, MAX_TEXT);
  }

  static String cut(String text, int length) {
    return text.length() <= length
        ? text
        : text.substring(0, length) + "… (" + text.length() + " characters)";
  }
}
