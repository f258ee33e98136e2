package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Why spans failed: texts by number, and what is left of each where the numbers in it are taken
 * away. 0 is the empty text.
 */
final class FailureTexts implements Serializable {

  private static final int MOST = 10_000;

  /** So many more that differ from those in more than a number. */
  private static final int MOST_PATTERNS = 1000;

  private static final int MAX_LENGTH = 200;

  /**
   * What may differ from one time to the next: ids in hexadecimal, with a digit in them (a word of
   * the letters a to f is a word), and numbers, those of addresses, times and versions as one.
   */
  private static final Pattern NUMBER =
      Pattern.compile(
          "0[xX][0-9a-fA-F]+"
              + "|(?<![0-9a-zA-Z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
              + "|(?<=@)[0-9a-fA-F]+(?![0-9a-zA-Z])"
              + "|(?<![0-9a-zA-Z])(?=[a-fA-F]*[0-9])[0-9a-fA-F]{4,}(?![0-9a-zA-Z])"
              + "|[0-9]+(?:[.,:][0-9]+)*");

  private final StringTable texts = new StringTable();
  private final Map<Integer, String> patterns = new HashMap<>();

  FailureTexts() {
    texts.number("");
  }

  /** Its number; where there are too many texts, that of its pattern, or else of the empty one. */
  int number(String text) {
    String cut = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
    int known = texts.find(cut);
    if (known >= 0) {
      return known;
    }
    if (texts.size() < MOST) {
      return texts.number(cut);
    }
    String pattern = withoutNumbers(cut);
    known = texts.find(pattern);
    return known >= 0 ? known : texts.size() < MOST + MOST_PATTERNS ? texts.number(pattern) : 0;
  }

  String text(int number) {
    return texts.text(number);
  }

  /** The text with {@code #} in place of each number in it. */
  String pattern(int number) {
    return patterns.computeIfAbsent(number, one -> withoutNumbers(texts.text(one)));
  }

  private static String withoutNumbers(String text) {
    return NUMBER.matcher(text).replaceAll("#");
  }
}
