package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why spans failed: texts by number, each with its pattern, which is the text without its numbers.
 * {@link #EMPTY} is the empty text.
 *
 * <p>Memory is bounded. If a pattern has too many different texts, only the pattern is kept, for
 * all of its spans. Which patterns these are does not depend on the order of the spans or on their
 * grouping before {@link #take}, unless there are {@link #MOST} texts.
 */
final class FailureTexts implements Serializable {

  /** The number of the empty text. */
  static final int EMPTY = 0;

  /** Of one pattern. */
  static final int MOST_VARIANTS = 1000;

  /** The maximum for all patterns, about 25 MB. */
  private static final int MOST = 100_000;

  private static final int MAX_LENGTH = 200;

  /**
   * The parts that may differ: hexadecimal ids that contain a digit (a word of the letters a to f
   * is a word), and numbers, where those of addresses, times and versions count as one.
   */
  private static final Pattern NUMBER =
      Pattern.compile(
          "0[xX][0-9a-fA-F]+"
              + "|(?<![0-9a-zA-Z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
              + "|(?<=@)[0-9a-fA-F]+(?![0-9a-zA-Z])"
              + "|(?<![0-9a-zA-Z])(?=[a-fA-F]*[0-9])[0-9a-fA-F]{4,}(?![0-9a-zA-Z])"
              + "|[0-9]+(?:[.,:][0-9]+)*");

  /** All texts of one pattern. */
  private static final class Reason implements Serializable {
    final String pattern;

    /** Stands for all once only the pattern is kept. */
    final int number;

    /** Null once only the pattern is kept. */
    @Nullable List<String> variants = new ArrayList<>();

    Reason(String pattern, int number) {
      this.pattern = pattern;
      this.number = number;
    }
  }

  /** Of the texts that are kept. */
  private final Map<String, Integer> numbers = new HashMap<>();

  /** By number: the text, null if only the pattern is kept, and the reason. */
  private final List<@Nullable String> texts = new ArrayList<>();

  private final List<Reason> reasons = new ArrayList<>();

  private final Map<String, Reason> ofPatterns = new LinkedHashMap<>();

  FailureTexts() {
    number("");
  }

  /** Its number; that of the empty text if there are too many patterns. */
  int number(String text) {
    String cut = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
    Integer known = numbers.get(cut);
    if (known != null) {
      return known;
    }
    Reason reason = reason(withoutNumbers(cut));
    if (reason == null) {
      return EMPTY;
    }
    if (reason.variants != null
        && (reason.variants.size() == MOST_VARIANTS || numbers.size() == MOST)) {
      keepPattern(reason);
    }
    if (reason.variants == null) {
      return reason.number;
    }
    int number = reason.variants.isEmpty() ? reason.number : newNumber(reason);
    reason.variants.add(cut);
    texts.set(number, cut);
    numbers.put(cut, number);
    return number;
  }

  /** Null if it is new and there are too many. */
  private @Nullable Reason reason(String pattern) {
    Reason known = ofPatterns.get(pattern);
    if (known == null && numbers.size() < MOST && ofPatterns.size() < MOST) {
      known = new Reason(pattern, texts.size());
      ofPatterns.put(pattern, known);
      newNumber(known);
    }
    return known;
  }

  private int newNumber(Reason reason) {
    texts.add(null);
    reasons.add(reason);
    return texts.size() - 1;
  }

  private void keepPattern(Reason reason) {
    List<String> variants = reason.variants;
    if (variants != null) {
      for (String variant : variants) {
        Integer number = numbers.remove(variant);
        if (number != null) {
          texts.set(number, null);
        }
      }
      reason.variants = null;
    }
  }

  /** Keeps what a single object would have kept for the spans of both. */
  void take(FailureTexts others) {
    for (Reason other : others.ofPatterns.values()) {
      if (other.variants != null) {
        other.variants.forEach(this::number);
        continue;
      }
      Reason here = reason(other.pattern);
      if (here != null) {
        keepPattern(here);
      }
    }
  }

  /** The text, or its pattern if only that is kept. The next text may change that. */
  String text(int number) {
    String text = texts.get(number);
    return text != null ? text : pattern(number);
  }

  /** The text with {@code #} in place of each number in it. */
  String pattern(int number) {
    return reasons.get(number).pattern;
  }

  /** Whether {@link #text} cannot distinguish the texts of this pattern. */
  boolean isPatternOnly(int number) {
    return reasons.get(number).variants == null;
  }

  private static String withoutNumbers(String text) {
    return NUMBER.matcher(text).replaceAll("#");
  }
}
