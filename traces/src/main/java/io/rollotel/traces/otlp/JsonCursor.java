package io.rollotel.traces.otlp;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the values of a line of JSON, which it reads as the types that OTLP/JSON has:
 * {@link JacksonCursor} takes any JSON, {@link CompactCursor} takes what collectors write.
 *
 * <p>The name passed to a method appears in its error messages; null always means an absent value.
 */
abstract class JsonCursor {

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

  /** Skips the value. */
  abstract void skip() throws UnreadableLineException;

  /** Skips an attribute if it is clearly none of these; otherwise does nothing. */
  boolean skipsAttribute(Set<String> kept) throws UnreadableLineException {
    return false;
  }

  /** Where the value begins in memory; 0 if the line is not in memory. */
  int position() {
    return 0;
  }

  /**
   * The attribute, if it is the one that was last read at this place of a list: then it counts as
   * read. Otherwise null.
   */
  @Nullable Attribute knownAttribute(int place, @Nullable Set<String> kept) {
    return null;
  }

  /**
   * Remembers the attribute that has just been read or skipped.
   *
   * @param from the {@link #position} of its beginning
   */
  void knowAttribute(int place, int from, @Nullable Set<String> kept, Attribute attribute) {}

  /** The scalar under the key as text, a number in the line's own spelling; empty for null. */
  abstract String text(String name) throws UnreadableLineException;

  /** As {@link #text}, for a text that is likely to repeat. */
  String repeatedText(String name) throws UnreadableLineException {
    return text(name);
  }

  /**
   * The value as a number if that requires no conversion to text; otherwise negative.
   *
   * @param isQuoted whether to expect a string instead of a number
   */
  long digits(boolean isQuoted) throws UnreadableLineException {
    return -1;
  }

  /** Moves to the object's next value and returns its key; null at the object's end. */
  abstract @Nullable String nextKey() throws UnreadableLineException;

  /** Whether the value is an object; false for null. */
  abstract boolean entersObject(String name) throws UnreadableLineException;

  /** Moves to the array's first element, if there is one. */
  abstract boolean entersArray(String name) throws UnreadableLineException;

  /** Moves to the array's next element; false at its end. */
  abstract boolean hasNext() throws UnreadableLineException;

  /** A trace id of 32 hex digits, in lower case. */
  String traceId(String name) throws UnreadableLineException {
    return id(name, 32);
  }

  /** An id of this many hex digits, in lower case. */
  String id(String name, int digits) throws UnreadableLineException {
    return hex(name, text(name), digits);
  }

  private static String hex(String name, String id, int digits) throws UnreadableLineException {
    if (id.length() != digits) {
      throw new UnreadableLineException(
          isBase64(id, digits / 2)
              ? name + " in base64 instead of " + digits + " hex digits, which OTLP/JSON takes"
              : name + " of " + id.length() + " digits instead of " + digits);
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

  /** As the JSON of protobuf has bytes. */
  private static boolean isBase64(String id, int bytes) {
    try {
      return id.length() % 4 == 0 && Base64.getDecoder().decode(id).length == bytes;
    } catch (IllegalArgumentException other) {
      return false;
    }
  }

  /** A span id, empty if there is none. */
  String parentId(String name) throws UnreadableLineException {
    String id = text(name);
    return id.isEmpty() || id.equals("0000000000000000") ? "" : hex(name, id, 16);
  }

  /** An id, empty if it is. */
  String optionalId(String name, int digits) throws UnreadableLineException {
    String id = text(name);
    return id.isEmpty() ? "" : hex(name, id, digits);
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
    long digits = digits(false);
    if (digits >= 0) {
      return (int) digits;
    }
    Integer known = ENUM_NUMBERS.get(text(name));
    return known != null ? known : (int) integer(name);
  }

  /** Nanoseconds since the epoch, or a count: 64 bits, unsigned. */
  long unsigned(String name) throws UnreadableLineException {
    long digits = digits(true);
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

  long integer(String name) throws UnreadableLineException {
    long digits = digits(true);
    if (digits >= 0) {
      return digits;
    }
    String text = text(name);
    try {
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return whole(name, text);
    }
  }

  /** An integer in other JSON notations, such as 1.0 or 1e3. */
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

  /** In either alphabet of base64, as protobuf's mapping to JSON has it. */
  byte[] bytes(String name) throws UnreadableLineException {
    try {
      return Base64.getDecoder().decode(text(name).replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException e) {
      throw new UnreadableLineException(name + " is not base64");
    }
  }

  private static UnreadableLineException notANumber(String name) {
    return new UnreadableLineException(name + " is not a number");
  }
}
