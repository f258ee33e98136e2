package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Reads texts with escapes or beyond ASCII, such as messages of exceptions, in the JSON that {@link
 * CompactCursor} reads.
 */
final class CompactText {

  private static final String ESCAPES = "\"\\/bfnrt";
  private static final String ESCAPED = "\"\\/\b\f\n\r\t";
  private static final int UNICODE_DIGITS = 4;

  private CompactText() {}

  /** Appends the text that begins there, and returns the position after its closing quote. */
  static int read(byte[] in, int from, StringBuilder text) throws UnreadableLineException {
    int i = from;
    while (true) {
      int start = i;
      i = afterUnescaped(in, i);
      text.append(new String(in, start, i - start, UTF_8));
      if (in[i] == '"') {
        return i + 1;
      }
      i = escape(in, i + 1, text);
    }
  }

  /** The closing quote or the next escape. */
  private static int afterUnescaped(byte[] in, int from) throws UnreadableLineException {
    int i = from;
    while (in[i] != '"' && in[i] != '\\') {
      int size = in[i] >= 0 ? 1 : Utf8.sequenceSize(in, i, in.length);
      if (size == 0 || (in[i] >= 0 && in[i] < ' ')) {
        throw CompactValues.notCompact();
      }
      i += size;
    }
    return i;
  }

  /** Appends what the escape behind a backslash means, and returns the position after it. */
  private static int escape(byte[] in, int i, StringBuilder text) throws UnreadableLineException {
    if (in[i] == 'u') {
      int character = 0;
      for (int k = i + 1; k <= i + UNICODE_DIGITS; k++) {
        int digit = Character.digit((char) (in[k] & 0xff), 16);
        if (digit < 0) { // at the latest at the byte after the line
          throw CompactValues.notCompact();
        }
        character = character << 4 | digit;
      }
      text.append((char) character);
      return i + 1 + UNICODE_DIGITS;
    }
    int place = in[i] <= 0 ? -1 : ESCAPES.indexOf(in[i]);
    if (place < 0) {
      throw CompactValues.notCompact();
    }
    text.append(ESCAPED.charAt(place));
    return i + 1;
  }
}
