package io.rollotel.traces.file;

import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A cursor over the values of a line of JSON, which it reads as the types that OTLP/JSON has.
 *
 * <p>The name given to a method is what its complaint says; null is an absent value throughout.
 */
final class JsonCursor {

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

  JsonCursor(JsonParser json) {
    this.json = json;
  }

  /** Steps over the value. */
  void skip() {
    json.skipChildren();
  }

  /** An id of so many hex digits, in lower case. */
  String id(String name, int digits) throws UnreadableLineException {
    String id = text(name).toLowerCase(Locale.ROOT);
    if (id.length() != digits) {
      throw new UnreadableLineException(
          name + " of " + id.length() + " digits instead of " + digits);
    }
    for (int i = 0; i < digits; i++) {
      char c = id.charAt(i);
      if (Character.digit(c, 16) < 0 || c > 'f') {
        throw new UnreadableLineException(name + " is not hex");
      }
    }
    return id;
  }

  /** A span id, empty where there is none. */
  String parentId(String name) throws UnreadableLineException {
    String id = text(name);
    return id.isEmpty() || id.equals("0000000000000000") ? "" : id(name, 16);
  }

  /** The number of an enum that is given by its name or number. */
  int enumNumber(String name) throws UnreadableLineException {
    Integer known = ENUM_NUMBERS.get(text(name));
    return known != null ? known : (int) integer(name);
  }

  /** Nanoseconds since the epoch, unsigned. */
  long time(String name) throws UnreadableLineException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw notANumber(name);
    }
  }

  long integer(String name) throws UnreadableLineException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw notANumber(name);
    }
  }

  double floating(String name) throws UnreadableLineException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw notANumber(name);
    }
  }

  byte[] bytes(String name) throws UnreadableLineException {
    try {
      return Base64.getDecoder().decode(text(name));
    } catch (IllegalArgumentException e) {
      throw new UnreadableLineException(name + " is not base64");
    }
  }

  private static UnreadableLineException notANumber(String name) {
    return new UnreadableLineException(name + " is not a number");
  }

  /** The scalar under the key as text, a number in the line's own spelling; empty for null. */
  String text(String name) throws UnreadableLineException {
    JsonToken token = json.currentToken();
    if (token == null || !token.isScalarValue()) {
      throw new UnreadableLineException(name + " is not a scalar");
    }
    return token == JsonToken.VALUE_NULL ? "" : json.getString();
  }

  /** Steps to the object's next value and gives its key, null at the object's end. */
  @Nullable String nextKey() {
    String key = json.nextName();
    if (key != null) {
      json.nextToken();
    }
    return key;
  }

  /** Whether the value is an object; false for null. */
  boolean entersObject(String name) throws UnreadableLineException {
    return enters(name, JsonToken.START_OBJECT, "an object");
  }

  /** Steps to the array's first element, if there is one. */
  boolean entersArray(String name) throws UnreadableLineException {
    return enters(name, JsonToken.START_ARRAY, "an array") && hasNext();
  }

  private boolean enters(String name, JsonToken start, String what) throws UnreadableLineException {
    JsonToken token = json.currentToken();
    if (token != start && token != JsonToken.VALUE_NULL) {
      throw new UnreadableLineException(name + " is not " + what);
    }
    return token == start;
  }

  /** Steps to the array's next element; false at its end. */
  boolean hasNext() {
    return json.nextToken() != JsonToken.END_ARRAY;
  }
}
