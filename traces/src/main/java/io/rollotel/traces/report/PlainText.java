package io.rollotel.traces.report;

/**
 * Makes recorded and received text safe for a terminal: escapes control characters and those that
 * change the direction of text, as JSON and Java do.
 */
public final class PlainText {

  private PlainText() {}

  /**
   * Writes each such character as a backslash, {@code u} and four digits. Escapes line ends, too.
   */
  public static String escaped(String text) {
    return escaped(text, "");
  }

  /** The same, except for the characters to keep. */
  public static String escaped(String text, String kept) {
    // Without streams: the agent logs through this before the application's main.
    int first = 0;
    while (first < text.length() && isKept(text.charAt(first), kept)) {
      first++;
    }
    if (first == text.length()) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, first);
    for (int i = first; i < text.length(); i++) {
      if (isKept(text.charAt(i), kept)) {
        escaped.append(text.charAt(i));
      } else {
        escape(escaped, text.charAt(i));
      }
    }
    return escaped.toString();
  }

  private static boolean isKept(char c, String kept) {
    return !isSteering(c) || kept.indexOf(c) >= 0;
  }

  private static void escape(StringBuilder to, char c) {
    to.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) {
      to.append(Character.forDigit(c >> shift & 15, 16));
    }
  }

  /** C0, DEL, C1, and Unicode's embedding, override and isolate characters for text direction. */
  private static boolean isSteering(char c) {
    return c < 0x20
        || (c >= 0x7f && c <= 0x9f)
        || (c >= 0x202a && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }
}
