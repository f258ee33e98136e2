package io.rollotel.traces.otlp;

/**
 * Skips and validates values of the JSON that {@link CompactCursor} reads.
 *
 * <p>A zero or a newline follows the line, so loops need no other end condition.
 */
final class CompactValues {

  static final int MAX_NAME = 1_000;
  private static final int MAX_DEPTH = 100;
  private static final int MAX_DIGITS = 30;

  private CompactValues() {}

  /** The position after the character, which must be there. */
  static int expect(byte[] in, int i, char expected) throws UnreadableLineException {
    if (in[i] != expected) {
      throw notCompact();
    }
    return i + 1;
  }

  /** The position after the blank, if there is one. */
  static int afterBlank(byte[] in, int i) {
    return in[i] == ' ' ? i + 1 : i;
  }

  /** The closing quote of a string without escapes. */
  static int plainEnd(byte[] in, int from) throws UnreadableLineException {
    int i = afterPlain(in, from);
    if (in[i] != '"') {
      throw notCompact();
    }
    return i;
  }

  /**
   * The closing quote of a string, or the first byte before it that is an escape, a control
   * character, or not ASCII.
   */
  static int afterPlain(byte[] in, int from) {
    int i = from;
    while (in[i] != '"' && in[i] >= ' ' && in[i] != '\\') {
      i++;
    }
    return i;
  }

  /**
   * The position after the value.
   *
   * @param atDepth how many objects and arrays contain it
   */
  static int afterValue(byte[] in, int i, int atDepth) throws UnreadableLineException {
    return switch (in[i]) {
      case '"' -> afterString(in, i + 1);
      case '{' -> afterObject(in, i + 1, atDepth + 1);
      case '[' -> afterArray(in, i + 1, atDepth + 1);
      case 't' -> afterLiteral(in, i, "true");
      case 'f' -> afterLiteral(in, i, "false");
      case 'n' -> afterLiteral(in, i, "null");
      default -> afterNumber(in, i);
    };
  }

  private static int afterObject(byte[] in, int from, int atDepth) throws UnreadableLineException {
    deeper(atDepth);
    if (in[from] == '}') {
      return from + 1;
    }
    int i = from;
    while (true) {
      int name = expect(in, i, '"');
      i = plainEnd(in, name);
      if (i - name > MAX_NAME) {
        throw notCompact();
      }
      i = afterValue(in, afterBlank(in, expect(in, i + 1, ':')), atDepth);
      if (in[i] == '}') {
        return i + 1;
      }
      i = afterBlank(in, expect(in, i, ','));
    }
  }

  private static int afterArray(byte[] in, int from, int atDepth) throws UnreadableLineException {
    deeper(atDepth);
    if (in[from] == ']') {
      return from + 1;
    }
    int i = from;
    while (true) {
      i = afterValue(in, i, atDepth);
      if (in[i] == ']') {
        return i + 1;
      }
      i = afterBlank(in, expect(in, i, ','));
    }
  }

  private static int afterString(byte[] in, int from) throws UnreadableLineException {
    int i = from;
    while (true) {
      byte b = in[i++];
      if (b == '"') {
        return i;
      }
      if (b == '\\') {
        i = afterEscape(in, i);
      } else if (b < ' ') {
        i = afterNonAscii(in, i - 1);
      }
    }
  }

  private static int afterEscape(byte[] in, int i) throws UnreadableLineException {
    if (in[i] != 'u') {
      if (in[i] == 0 || "\"\\/bfnrt".indexOf(in[i]) < 0) {
        throw notCompact();
      }
      return i + 1;
    }
    for (int digit = i + 1; digit <= i + 4; digit++) {
      if (!isHexDigit(in[digit])) {
        throw notCompact();
      }
    }
    return i + 5;
  }

  /** The position after a character of two to four bytes. */
  private static int afterNonAscii(byte[] in, int from) throws UnreadableLineException {
    int size = in[from] >= 0 ? 0 : Utf8.sequenceSize(in, from, in.length);
    if (size == 0) {
      throw notCompact();
    }
    return from + size;
  }

  private static int afterLiteral(byte[] in, int from, String literal)
      throws UnreadableLineException {
    int i = from;
    for (int k = 0; k < literal.length(); k++) {
      i = expect(in, i, literal.charAt(k));
    }
    return i;
  }

  private static int afterNumber(byte[] in, int from) throws UnreadableLineException {
    int whole = in[from] == '-' ? from + 1 : from;
    int i = afterDigits(in, whole);
    if (in[whole] == '0' && i > whole + 1) {
      throw notCompact();
    }
    if (in[i] == '.') {
      i = afterDigits(in, i + 1);
    }
    if (in[i] == 'e' || in[i] == 'E') {
      i++;
      i = afterDigits(in, in[i] == '+' || in[i] == '-' ? i + 1 : i);
    }
    return i;
  }

  private static int afterDigits(byte[] in, int from) throws UnreadableLineException {
    int i = from;
    while (isDigit(in[i])) {
      i++;
    }
    if (i == from || i - from > MAX_DIGITS) {
      throw notCompact();
    }
    return i;
  }

  static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static boolean isHexDigit(byte b) {
    return isDigit(b) || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
  }

  static void deeper(int depth) throws UnreadableLineException {
    if (depth > MAX_DEPTH) {
      throw notCompact();
    }
  }

  static UnreadableLineException notCompact() {
    return new UnreadableLineException("not compact");
  }
}
