package io.rollotel.telemetry;

/**
 * The beginning of a text, cut to a number of characters as Python counts them: a surrogate pair is
 * one.
 */
final class Excerpt {

  private Excerpt() {}

  static String of(String text, int characters) {
    if (text.length() <= characters) {
      return text;
    }
    int end = 0;
    for (int i = 0; i < characters && end < text.length(); i++) {
      end += Character.charCount(text.codePointAt(end));
    }
    return text.substring(0, end);
  }
}
