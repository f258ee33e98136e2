package io.rollotel.traces.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/**
 * The translation of one line of OTLP/JSON into spans: all of them or none.
 *
 * <p>Takes what otelcol, ROLL and protobuf's own JSON printers write: keys in any order, enums as
 * numbers or names, 64-bit integers as strings or numbers.
 */
final class LineParser {

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(StreamReadFeature.AUTO_CLOSE_SOURCE) // the rest of the file follows
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private static final Resource NO_RESOURCE = new Resource(Map.of());

  private static final Map<String, Integer> ENUM_NUMBERS =
      Map.of(
          "SPAN_KIND_UNSPECIFIED", 0,
          "SPAN_KIND_INTERNAL", 1,
          "SPAN_KIND_SERVER", 2,
          "SPAN_KIND_CLIENT", 3,
          "SPAN_KIND_PRODUCER", 4,
          "SPAN_KIND_CONSUMER", 5,
          "STATUS_CODE_UNSET", 0,
          "STATUS_CODE_OK", 1,
          "STATUS_CODE_ERROR", 2);

  private final JsonParser json;
  private final List<Span> spans = new ArrayList<>();

  private LineParser(JsonParser json) {
    this.json = json;
  }

  /**
   * Reads a line to its end; an empty one has no spans.
   *
   * @throws UnreadableException for a line that is no trace request
   * @throws IOException if the file cannot be read on
   */
  static List<Span> parse(InputStream line) throws IOException, UnreadableException {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
      LineParser parser = new LineParser(json);
      if (json.nextToken() != null) {
        parser.request();
        if (json.nextToken() != null) {
          throw new UnreadableException("more than one JSON value");
        }
      }
      return parser.spans;
    } catch (JacksonIOException e) {
      throw e.getCause();
    } catch (JacksonException e) {
      throw new UnreadableException(e.getOriginalMessage());
    }
  }

  private void request() throws UnreadableException {
    if (!entersObject("the line")) {
      throw new UnreadableException("the line is null");
    }
    for (String key = nextKey(); key != null; key = nextKey()) {
      if (key.equals("resourceSpans")) {
        for (boolean more = entersArray(key); more; more = hasNext()) {
          resourceSpans();
        }
      } else {
        json.skipChildren();
      }
    }
  }

  private void resourceSpans() throws UnreadableException {
    Resource resource = NO_RESOURCE;
    List<SpanDraft> drafts = new ArrayList<>();
    if (entersObject("resourceSpans")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        switch (key) {
          case "resource" -> resource = resource();
          case "scopeSpans" -> {
            for (boolean more = entersArray(key); more; more = hasNext()) {
              scopeSpans(drafts);
            }
          }
          default -> json.skipChildren();
        }
      }
    }
    for (SpanDraft draft : drafts) {
      spans.add(draft.span(resource));
    }
  }

  private Resource resource() throws UnreadableException {
    Map<String, Object> attributes = Map.of();
    if (entersObject("resource")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        if (key.equals("attributes")) {
          attributes = keyValues(key);
        } else {
          json.skipChildren();
        }
      }
    }
    return attributes.isEmpty() ? NO_RESOURCE : new Resource(attributes);
  }

  private void scopeSpans(List<SpanDraft> drafts) throws UnreadableException {
    String scopeName = "";
    int first = drafts.size();
    if (entersObject("scopeSpans")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        switch (key) {
          case "scope" -> scopeName = scopeName();
          case "spans" -> {
            for (boolean more = entersArray(key); more; more = hasNext()) {
              drafts.add(span());
            }
          }
          default -> json.skipChildren();
        }
      }
    }
    for (SpanDraft draft : drafts.subList(first, drafts.size())) {
      draft.scopeName = scopeName;
    }
  }

  private String scopeName() throws UnreadableException {
    String name = "";
    if (entersObject("scope")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        if (key.equals("name")) {
          name = text(key);
        } else {
          json.skipChildren();
        }
      }
    }
    return name;
  }

  private SpanDraft span() throws UnreadableException {
    SpanDraft draft = new SpanDraft();
    if (entersObject("span")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        switch (key) {
          case "traceId" -> draft.traceId = id(key, 32);
          case "spanId" -> draft.spanId = id(key, 16);
          case "parentSpanId" -> draft.parentSpanId = parentId(key);
          case "name" -> draft.name = text(key);
          case "kind" -> draft.kind = enumNumber(key);
          case "startTimeUnixNano" -> draft.startEpochNanos = time(key);
          case "endTimeUnixNano" -> draft.endEpochNanos = time(key);
          case "attributes" -> draft.attributes = keyValues(key);
          case "status" -> draft.statusCode = statusCode();
          default -> json.skipChildren();
        }
      }
    }
    if (draft.traceId.isEmpty() || draft.spanId.isEmpty()) {
      throw new UnreadableException("span without traceId or spanId");
    }
    return draft;
  }

  private int statusCode() throws UnreadableException {
    int code = 0;
    if (entersObject("status")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        if (key.equals("code")) {
          code = enumNumber(key);
        } else {
          json.skipChildren();
        }
      }
    }
    return code;
  }

  private Map<String, Object> keyValues(String name) throws UnreadableException {
    Map<String, Object> values = new LinkedHashMap<>();
    for (boolean more = entersArray(name); more; more = hasNext()) {
      String attribute = "";
      Object value = "";
      if (entersObject(name)) {
        for (String key = nextKey(); key != null; key = nextKey()) {
          switch (key) {
            case "key" -> attribute = text(key);
            case "value" -> value = value();
            default -> json.skipChildren();
          }
        }
      }
      values.put(attribute, value);
    }
    return Collections.unmodifiableMap(values);
  }

  private Object value() throws UnreadableException {
    Object value = "";
    if (entersObject("value")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        switch (key) {
          case "stringValue" -> value = text(key);
          case "boolValue" -> value = Boolean.parseBoolean(text(key));
          case "intValue" -> value = integer(key);
          case "doubleValue" -> value = floating(key);
          case "arrayValue" -> value = array();
          case "kvlistValue" -> value = keyValueList();
          case "bytesValue" -> value = bytes(key);
          default -> json.skipChildren();
        }
      }
    }
    return value;
  }

  private List<Object> array() throws UnreadableException {
    List<Object> values = new ArrayList<>();
    if (entersObject("arrayValue")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        if (key.equals("values")) {
          for (boolean more = entersArray(key); more; more = hasNext()) {
            values.add(value());
          }
        } else {
          json.skipChildren();
        }
      }
    }
    return Collections.unmodifiableList(values);
  }

  private Map<String, Object> keyValueList() throws UnreadableException {
    Map<String, Object> values = Map.of();
    if (entersObject("kvlistValue")) {
      for (String key = nextKey(); key != null; key = nextKey()) {
        if (key.equals("values")) {
          values = keyValues(key);
        } else {
          json.skipChildren();
        }
      }
    }
    return values;
  }

  private String id(String name, int digits) throws UnreadableException {
    String id = text(name).toLowerCase(Locale.ROOT);
    if (id.length() != digits) {
      throw new UnreadableException(name + " of " + id.length() + " digits instead of " + digits);
    }
    for (int i = 0; i < digits; i++) {
      char c = id.charAt(i);
      if (Character.digit(c, 16) < 0 || c > 'f') {
        throw new UnreadableException(name + " is not hex");
      }
    }
    return id;
  }

  private String parentId(String name) throws UnreadableException {
    String id = text(name);
    return id.isEmpty() || id.equals("0000000000000000") ? "" : id(name, 16);
  }

  private int enumNumber(String name) throws UnreadableException {
    Integer known = ENUM_NUMBERS.get(text(name));
    return known != null ? known : (int) integer(name);
  }

  private long time(String name) throws UnreadableException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw notANumber(name);
    }
  }

  private long integer(String name) throws UnreadableException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw notANumber(name);
    }
  }

  private double floating(String name) throws UnreadableException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw notANumber(name);
    }
  }

  private byte[] bytes(String name) throws UnreadableException {
    try {
      return Base64.getDecoder().decode(text(name));
    } catch (IllegalArgumentException e) {
      throw new UnreadableException(name + " is not base64");
    }
  }

  private static UnreadableException notANumber(String name) {
    return new UnreadableException(name + " is not a number");
  }

  /** The scalar under the key as text, a number in the line's own spelling; empty for null. */
  private String text(String name) throws UnreadableException {
    JsonToken token = json.currentToken();
    if (token == null || !token.isScalarValue()) {
      throw new UnreadableException(name + " is not a scalar");
    }
    return token == JsonToken.VALUE_NULL ? "" : json.getString();
  }

  /** Steps to the object's next value and gives its key, null at the object's end. */
  private @Nullable String nextKey() {
    String key = json.nextName();
    if (key != null) {
      json.nextToken();
    }
    return key;
  }

  private boolean entersObject(String name) throws UnreadableException {
    return enters(name, JsonToken.START_OBJECT, "an object");
  }

  /** Steps to the array's first element, if there is one. */
  private boolean entersArray(String name) throws UnreadableException {
    return enters(name, JsonToken.START_ARRAY, "an array") && hasNext();
  }

  private boolean enters(String name, JsonToken start, String what) throws UnreadableException {
    JsonToken token = json.currentToken();
    if (token != start && token != JsonToken.VALUE_NULL) {
      throw new UnreadableException(name + " is not " + what);
    }
    return token == start;
  }

  private boolean hasNext() {
    return json.nextToken() != JsonToken.END_ARRAY;
  }

  /** Thrown for a line that is no trace request; the message says why, for people. */
  static final class UnreadableException extends Exception {

    private static final long serialVersionUID = 1L;

    UnreadableException(String message) {
      super(message);
    }
  }

  /** A span whose scope and resource may stand behind it in the line. */
  private static final class SpanDraft {
    String traceId = "";
    String spanId = "";
    String parentSpanId = "";
    String name = "";
    int kind;
    long startEpochNanos;
    long endEpochNanos;
    Map<String, Object> attributes = Map.of();
    int statusCode;
    String scopeName = "";

    Span span(Resource resource) {
      return new Span(
          traceId,
          spanId,
          parentSpanId,
          name,
          kind,
          startEpochNanos,
          endEpochNanos,
          attributes,
          statusCode,
          resource,
          scopeName);
    }
  }
}
