package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.SpanTags;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
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
  private static final byte[] ATTRIBUTES = "\"a\":{".getBytes(US_ASCII);
  private static final byte[] ERROR = "\"error\":".getBytes(US_ASCII);

  private static final int MAX_TEXT = 16 << 10;
  private static final int MAX_ATTRIBUTES = 128;
  private static final int MAX_ELEMENTS = 256;
  private static final int MAX_DEPTH = 6;

  private static final long EXACT_IN_JAVASCRIPT = 1L << 53;

  /** A power of two. Later places in a list of attributes share those of earlier ones. */
  private static final int PLACES = 32;

  private static final int MAX_KNOWN = 256;

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

  private byte[] out = new byte[1024];
  private int length;

  private final BiConsumer<String, Object> attributeWriter = this::attribute;

  // The attribute that was written last at each place: a reader passes the same objects for the
  // next span if it has the same attribute there.
  private int place;
  private final @Nullable Object[] knownKeys = new Object[PLACES];
  private final @Nullable Object[] knownValues = new Object[PLACES];
  private final byte[][] known = new byte[PLACES][];

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
    length = 0;
    write((byte) '{');
    if (!span.attributes().isEmpty()) {
      attributes(span.attributes());
    }
    if (isError) {
      if (length > 1) {
        write((byte) ',');
      }
      write(ERROR);
      text(cut(span.failure()));
    }
    write((byte) '}');
    bytes += length;
    return Arrays.copyOf(out, length);
  }

  private void attributes(Map<String, Object> attributes) {
    write(ATTRIBUTES);
    if (attributes.size() > MAX_ATTRIBUTES) {
      length--;
      object(begun(), attributes, 0);
      writeBegun();
    } else {
      place = 0;
      attributes.forEach(attributeWriter);
      out[length - 1] = '}'; // instead of the last comma
    }
  }

  @SuppressWarnings("ReferenceEquality") // an equal one is written again, which is just slower
  private void attribute(String key, Object value) {
    int i = place++ & (PLACES - 1);
    if (knownKeys[i] == key && knownValues[i] == value) {
      write(known[i]);
      return;
    }
    int from = length;
    text(cut(key));
    write((byte) ':');
    if (value instanceof String string) {
      text(cut(string));
    } else if (value instanceof Long number && isExact(number)) {
      number(number);
    } else {
      value(begun(), value, 1);
      writeBegun();
    }
    write((byte) ',');
    boolean isKept = length - from <= MAX_KNOWN;
    knownKeys[i] = isKept ? key : null;
    knownValues[i] = isKept ? value : null;
    known[i] = isKept ? Arrays.copyOfRange(out, from, length) : NONE;
  }

  private void text(String string) {
    int size = string.length();
    room(size + 2);
    int at = length;
    out[at++] = '"';
    for (int i = 0; i < size; i++) {
      char c = string.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        begun().writeString(string);
        writeBegun();
        return;
      }
      out[at++] = (byte) c;
    }
    out[at++] = '"';
    length = at;
  }

  private void number(long number) {
    long left = Math.abs(number);
    int digits = 1;
    for (long above = left; above >= 10; above /= 10) {
      digits++;
    }
    if (number < 0) {
      write((byte) '-');
    }
    room(digits);
    length += digits;
    int at = length;
    do {
      out[--at] = (byte) ('0' + left % 10);
      left /= 10;
    } while (left > 0);
  }

  /** Begins what is written in the general way. */
  private JsonGenerator begun() {
    text.getBuffer().setLength(0);
    return json;
  }

  private void writeBegun() {
    json.flush();
    write(text.toString().getBytes(UTF_8));
  }

  private void write(byte one) {
    room(1);
    out[length++] = one;
  }

  private void write(byte[] some) {
    room(some.length);
    System.arraycopy(some, 0, out, length, some.length);
    length += some.length;
  }

  private void room(int count) {
    if (length + count > out.length) {
      out = Arrays.copyOf(out, Math.max(2 * out.length, length + count));
    }
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
