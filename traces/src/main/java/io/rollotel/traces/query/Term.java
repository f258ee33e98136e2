package io.rollotel.traces.query;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One term of a query.
 *
 * @param key empty for a word that is searched everywhere
 * @param wanted the value, in lower case if case is ignored
 * @param parts the parts of the value between asterisks; null if it has none
 * @param number the value as a number, a time in nanoseconds; null for none
 * @param isAny whether any value matches
 */
record Term(
    boolean isNot,
    Kind kind,
    String key,
    String op,
    String wanted,
    @Nullable List<String> parts,
    @Nullable Double number,
    boolean isAny)
    implements Serializable {

  /** How a value is compared. */
  enum Kind {
    /** Not the value of a key, but a part of any text. */
    FIND,
    TEXT,
    /** As a number if it is one. */
    WORD,
    TIME,
    /** One of some words. */
    CHOICE,
    ATTRIBUTE
  }

  static final Pattern NUMBER =
      Pattern.compile("[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

  static @Nullable Double number(String text) {
    return NUMBER.matcher(text).matches() ? Double.valueOf(text) : null;
  }

  boolean isOfContents() {
    return kind == Kind.FIND || kind == Kind.ATTRIBUTE;
  }

  boolean isOrder() {
    return op.startsWith(">") || op.startsWith("<");
  }

  private boolean isUnequal() {
    return op.equals("!=");
  }

  private boolean compares(double value, double to) {
    return switch (op) {
      case ">" -> value > to;
      case ">=" -> value >= to;
      case "<" -> value < to;
      case "<=" -> value <= to;
      case "!=" -> value != to;
      default -> value == to;
    };
  }

  /**
   * Whether a text matches.
   *
   * @param isWhole whether {@code :} requires the whole text, not a part
   */
  boolean matchesText(String text, boolean isWhole) {
    if (isAny) {
      return !isUnequal();
    }
    boolean isContained = op.equals(":");
    String one = isContained ? text.toLowerCase(Locale.ROOT) : text;
    boolean isMatch =
        parts != null
            ? hasParts(parts, one)
            : (isContained && !isWhole) ? one.contains(wanted) : one.equals(wanted);
    return isMatch != isUnequal();
  }

  /** Whether a text begins with the first part, ends with the last, and has the others between. */
  private static boolean hasParts(List<String> parts, String text) {
    if (!text.startsWith(parts.get(0))) {
      return false;
    }
    int at = parts.get(0).length();
    for (String part : parts.subList(1, parts.size() - 1)) {
      int found = text.indexOf(part, at);
      if (found < 0) {
        return false;
      }
      at = found + part.length();
    }
    String last = parts.get(parts.size() - 1);
    return text.length() - last.length() >= at && text.endsWith(last);
  }

  /** Whether a rank, a process's id or a step's label matches. */
  boolean matchesWord(String text) {
    Double value = isAny || number == null ? null : number(text);
    if (value != null && number != null) {
      return compares(value, number);
    }
    return !isOrder() && matchesText(text, true);
  }

  /** Whether a time in nanoseconds matches. */
  boolean matchesTime(long nanos) {
    return (isAny || number == null) ? !isUnequal() : compares((double) nanos, number);
  }

  /** Whether an attribute's value matches. */
  boolean matchesAttribute(Object value) {
    if (isAny) {
      return !isUnequal();
    }
    Double one = number == null || op.equals(":") ? null : numberOf(value);
    if (one != null && number != null) {
      return compares(one, number);
    }
    return !isOrder() && matchesText(AttributeText.of(value), false);
  }

  private static @Nullable Double numberOf(Object value) {
    if (value instanceof Long || (value instanceof Double real && Double.isFinite(real))) {
      return ((Number) value).doubleValue();
    }
    return value instanceof String text ? number(text) : null;
  }
}
