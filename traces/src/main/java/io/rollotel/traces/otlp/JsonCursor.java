package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.Named;

/**
 * A cursor over the values of a line of JSON, which it reads as the types that OTLP/JSON has.
 *
 * <p>The name given to a method is what its complaint says; null is an absent value throughout.
 */
final class JsonCursor {

  private static final int LONG_CHARS = 64 << 10;

  private static final Map<String, Integer> ENUM_NUMBERS = new HashMap<>();

  static {
    List<String> severities = new ArrayList<>(List.of("UNSPECIFIED"));
    for (String level : List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")) {
      severities.addAll(List.of(level, level + "2", level + "3", level + "4"));
    }
    number("SEVERITY_NUMBER_", severities);
    number(
        "SPAN_KIND_",
        List.of("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"));
    number("STATUS_CODE_", List.of("UNSET", "OK", "ERROR"));
    number("AGGREGATION_TEMPORALITY_", List.of("UNSPECIFIED", "DELTA", "CUMULATIVE"));
  }

  private static void number(String prefix, List<String> names) {
    names.forEach(name -> ENUM_NUMBERS.put(prefix + name, names.indexOf(name)));
  }

  /** What the parser recognises without making a name of it; any other name is read as well. */
  private static final PropertyNameMatcher NAMES =
      LineParser.JSON.constructNameMatcher(
          Stream.of(
                  "resourceSpans resource scopeSpans scope spans attributes key value",
                  "traceId spanId parentSpanId traceState flags name kind status code message",
                  "startTimeUnixNano endTimeUnixNano timeUnixNano events links version schemaUrl",
                  "stringValue boolValue intValue doubleValue arrayValue kvlistValue values")
              .flatMap(names -> Stream.of(names.split(" ")))
              .map(Named::fromString)
              .toList(),
          false);

  /** A power of two. */
  private static final int MAX_KNOWN_TEXTS = 128;

  private final JsonParser json;

  /** Most spans of a line are of one trace. */
  private String lastTraceId = "";

  /** Texts that were read, each in the place that its characters give it. */
  private final @Nullable String[] knownTexts = new String[MAX_KNOWN_TEXTS];

  JsonCursor(JsonParser json) {
    this.json = json;
  }

  /** Steps over the value. */
  void skip() {
    json.skipChildren();
  }

  /** A trace id of 32 hex digits, in lower case. */
  String traceId(String name) throws UnreadableLineException {
    if (!isText(lastTraceId)) {
      lastTraceId = id(name, 32);
    }
    return lastTraceId;
  }

  /** An id of so many hex digits, in lower case. */
  String id(String name, int digits) throws UnreadableLineException {
    String id = text(name);
    if (id.length() != digits) {
      throw new UnreadableLineException(
          name + " of " + id.length() + " digits instead of " + digits);
    }
    boolean isLower = true;
    for (int i = 0; i < digits; i++) {
      char digit = id.charAt(i);
      if (!HexFormat.isHexDigit(digit)) {
        throw new UnreadableLineException(name + " is not hex");
      }
      isLower &= digit <= '9' || digit >= 'a';
    }
    return isLower ? id : id.toLowerCase(Locale.ROOT);
  }

  /** A span id, empty where there is none. */
  String parentId(String name) throws UnreadableLineException {
    String id = text(name);
    return id.isEmpty() || id.equals("0000000000000000") ? "" : id(name, 16);
  }

  /** An id, empty where it is. */
  String optionalId(String name, int digits) throws UnreadableLineException {
    return text(name).isEmpty() ? "" : id(name, digits);
  }

  boolean isNull() {
    return json.currentToken() == JsonToken.VALUE_NULL;
  }

  boolean bool(String name) throws UnreadableLineException {
    String text = text(name);
    if (!text.equals("true") && !text.equals("false")) {
      throw new UnreadableLineException(name + " is neither true nor false");
    }
    return text.equals("true");
  }

  /** The number of an enum that is given by its name or number. */
  int enumNumber(String name) throws UnreadableLineException {
    long digits = json.currentToken() == JsonToken.VALUE_NUMBER_INT ? digits() : -1;
    if (digits >= 0) {
      return (int) digits;
    }
    Integer known = ENUM_NUMBERS.get(text(name));
    return known != null ? known : (int) integer(name);
  }

  /** Nanoseconds since the epoch, or a count: 64 bits, unsigned. */
  long unsigned(String name) throws UnreadableLineException {
    long digits = json.currentToken() == JsonToken.VALUE_STRING ? digits() : -1;
    if (digits >= 0) {
      return digits;
    }
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      long whole = whole(name, text);
      if (whole < 0) {
        throw notANumber(name);
      }
      return whole;
    }
  }

  /** The number that the text is if it has 1 to 19 digits and no other character; else negative. */
  private long digits() {
    int length = json.getStringLength();
    if (length == 0 || length > 19) {
      return -1;
    }
    char[] chars = json.getStringCharacters();
    int from = json.getStringOffset();
    long number = 0;
    for (int i = from; i < from + length; i++) {
      int digit = chars[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number; // negative where it is 2^63 or more
  }

  long integer(String name) throws UnreadableLineException {
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return whole(name, text);
    }
  }

  /** An integer in the other spellings that JSON has for it, 1.0 or 1e3. */
  private static long whole(String name, String text) throws UnreadableLineException {
    try {
      // Short enough that no exponent makes it long to compute.
      return text.length() <= 40 ? new BigDecimal(text).longValueExact() : Long.parseLong(text);
    } catch (ArithmeticException | NumberFormatException e) {
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

  /** As {@link #text(String)}, for a text that is likely to come again in the line. */
  String repeatedText(String name) throws UnreadableLineException {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      return text(name);
    }
    char[] chars = json.getStringCharacters();
    int from = json.getStringOffset();
    int length = json.getStringLength();
    int hash = length;
    for (int i = from; i < from + length; i++) {
      hash = 31 * hash + chars[i];
    }
    int place = (hash ^ hash >>> 16) & (MAX_KNOWN_TEXTS - 1);
    String known = knownTexts[place];
    if (known == null || !isText(known)) {
      known = json.getString();
      knownTexts[place] = known;
    }
    return known;
  }

  /** Whether the value is this text, found out without making a text of it. */
  private boolean isText(String text) {
    if (json.currentToken() != JsonToken.VALUE_STRING || json.getStringLength() != text.length()) {
      return false;
    }
    char[] chars = json.getStringCharacters();
    int from = json.getStringOffset();
    for (int i = 0; i < text.length(); i++) {
      if (chars[from + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Appends the scalar under the key to a message as {@link #text}, in UTF-8. A long one is handed
   * over in the parser's pieces, and never held as a whole.
   */
  void text(String name, WireBuffer wire, int number) throws UnreadableLineException {
    if (json.currentToken() != JsonToken.VALUE_STRING || json.getStringLength() < LONG_CHARS) {
      wire.bytes(number, text(name).getBytes(UTF_8));
      return;
    }
    int start = wire.beginMessage(number);
    try (Writer writer = new OutputStreamWriter(wire.appending(), UTF_8)) {
      json.getString(writer);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it is in memory
    }
    wire.endMessage(start);
  }

  /** Steps to the object's next value and gives its key, null at the object's end. */
  @Nullable String nextKey() {
    int match = json.nextNameMatch(NAMES);
    if (match < 0 && match != PropertyNameMatcher.MATCH_UNKNOWN_NAME) {
      return null;
    }
    String key = match < 0 ? json.currentName() : NAMES.nameLookup()[match];
    json.nextToken();
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
