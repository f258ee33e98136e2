package io.rollotel.telemetry.internal;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes values that W3C Trace Context and HTTP allow but OpenTelemetry for Java does not read:
 * surrounding blanks, empty members, a list instead of a text. A value longer than {@link #LONGEST}
 * is not a header.
 */
final class CarrierHeader {

  /** The length of baggage that W3C requires everybody to pass on, in characters. */
  static final int LONGEST = 8192;

  /** Only later versions have more than 55 characters; Python's SDK has the same limit. */
  private static final int LONGEST_TRACEPARENT = 512;

  /** The number of tracestate members that W3C allows, and of headers if each has one. */
  private static final int MOST_TEXTS = 32;

  private CarrierHeader() {}

  /** Null if it is not a header; also in the next methods. */
  static @Nullable String traceparent(@Nullable Object value) {
    String text = first(value);
    return text == null || text.length() > LONGEST_TRACEPARENT ? null : withoutBlanks(text);
  }

  /** Joins several headers, and skips empty members. */
  static @Nullable String tracestate(@Nullable Object value) {
    String text = value instanceof List<?> list ? joined(list) : first(value);
    if (text == null || text.length() > LONGEST) {
      return null;
    }
    StringBuilder members = new StringBuilder(text.length());
    for (String member : text.split(",", -1)) {
      String inside = withoutBlanks(member);
      if (!inside.isEmpty()) {
        members.append(members.length() == 0 ? "" : ",").append(inside);
      }
    }
    return members.toString();
  }

  /** The text, unchanged. */
  static @Nullable String baggage(@Nullable Object value) {
    String text = first(value);
    return text == null || text.length() > LONGEST ? null : text;
  }

  private static @Nullable String first(@Nullable Object value) {
    Object one = value;
    if (value instanceof List<?> list) {
      Iterator<?> texts = list.iterator();
      one = texts.hasNext() ? texts.next() : null;
    }
    return one instanceof String text ? text : null;
  }

  private static @Nullable String joined(List<?> texts) {
    StringBuilder all = new StringBuilder();
    int count = 0;
    for (Object one : texts) {
      if (!(one instanceof String text)
          || ++count > MOST_TEXTS
          || all.length() + text.length() > LONGEST) {
        return null;
      }
      all.append(count == 1 ? "" : ",").append(text);
    }
    return all.toString();
  }

  /** Without surrounding spaces and tabs, the only optional white space in HTTP. */
  static String withoutBlanks(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isBlank(text.charAt(from))) {
      from++;
    }
    while (from < to && isBlank(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
