package io.rollotel.traces.report;

/**
 * How many columns of a terminal a text takes: two for each character that is wide by Unicode's
 * East Asian Width, such as Chinese characters and emoji, none for an accent that stands on the
 * character before it. Of many accents in a row, those that no language needs take one column each:
 * otherwise a name of thousands of them would be narrow.
 */
final class ShownWidth {

  /** Below it, each character takes one column. */
  private static final int FIRST_ODD = 0x300;

  /** How many accents may stand on one character. */
  private static final int MOST_MARKS = 8;

  /** The first and the last of each range of wide characters, in ascending order. */
  private static final int[] WIDE = {
    0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3,
    0x25fd, 0x25fe, 0x2614, 0x2615, 0x2648, 0x2653, 0x267f, 0x267f, 0x2693, 0x2693, 0x26a1, 0x26a1,
    0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea,
    0x26f2, 0x26f3, 0x26f5, 0x26f5, 0x26fa, 0x26fa, 0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b,
    0x2728, 0x2728, 0x274c, 0x274c, 0x274e, 0x274e, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797,
    0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50, 0x2b55, 0x2b55, 0x2e80, 0x303e,
    0x3041, 0x3247, 0x3250, 0xa4cf, 0xa960, 0xa97f, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19,
    0xfe30, 0xfe6f, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18dff, 0x1aff0, 0x1b2ff, 0x1f004,
    0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f200, 0x1f320, 0x1f32d,
    0x1f335, 0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3, 0x1f3e0,
    0x1f3f0, 0x1f3f4, 0x1f3f4, 0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc, 0x1f4ff,
    0x1f53d, 0x1f54b, 0x1f54e, 0x1f550, 0x1f567, 0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4,
    0x1f5a4, 0x1f5fb, 0x1f64f, 0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc, 0x1f6d0, 0x1f6d2, 0x1f6d5,
    0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc, 0x1f7e0, 0x1f7f0, 0x1f90c, 0x1f93a, 0x1f93c,
    0x1f945, 0x1f947, 0x1f9ff, 0x1fa70, 0x1faff, 0x20000, 0x3fffd,
  };

  private ShownWidth() {}

  /** The columns that a text takes. */
  static int of(String text) {
    int columns = 0;
    int marks = 0;
    for (int i = 0; i < text.length(); ) {
      int character = text.codePointAt(i);
      marks = of(character) == 0 ? marks + 1 : 0;
      columns += of(character, marks);
      i += Character.charCount(character);
    }
    return columns;
  }

  /** A text with blanks behind it. */
  static String padded(String text, int columns) {
    return text + " ".repeat(Math.max(0, columns - of(text)));
  }

  /** The end of the longest beginning that takes at most this many columns. */
  static int end(String text, int columns) {
    int left = columns;
    int marks = 0;
    int i = 0;
    while (i < text.length()) {
      int character = text.codePointAt(i);
      marks = of(character) == 0 ? marks + 1 : 0;
      left -= of(character, marks);
      if (left < 0) {
        break;
      }
      i += Character.charCount(character);
    }
    return i;
  }

  /** The start of the longest end that takes at most this many columns. */
  static int start(String text, int columns) {
    int left = columns;
    int marks = 0;
    int i = text.length();
    while (i > 0) {
      int character = text.codePointBefore(i);
      marks = of(character) == 0 ? marks + 1 : 0;
      left -= of(character, marks);
      if (left < 0) {
        break;
      }
      i -= Character.charCount(character);
    }
    return i;
  }

  /**
   * The columns of one character.
   *
   * @param marks how many accents in a row this is the last of
   */
  private static int of(int character, int marks) {
    return marks > MOST_MARKS ? 1 : of(character);
  }

  private static int of(int character) {
    if (character < FIRST_ODD) {
      return 1;
    }
    int type = Character.getType(character);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    int i = 0;
    while (i < WIDE.length && WIDE[i + 1] < character) {
      i += 2;
    }
    return i < WIDE.length && WIDE[i] <= character ? 2 : 1;
  }
}
