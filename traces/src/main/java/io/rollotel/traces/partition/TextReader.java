package io.rollotel.traces.partition;

import java.util.Arrays;

/** The texts of a section of a block that is being read; see {@link KnownTexts}. */
final class TextReader {

  private String[] texts = new String[256];
  private int count;

  String read(Cursor in) {
    int code = in.integer();
    if (code >= KnownTexts.FIRST) {
      return texts[code - KnownTexts.FIRST];
    }
    if (code == KnownTexts.EMPTY) {
      return "";
    }
    String text = in.text();
    if (text.length() <= KnownTexts.MOST_CHARS) {
      if (count == texts.length) {
        texts = Arrays.copyOf(texts, 2 * count);
      }
      texts[count++] = text;
    }
    return text;
  }

  void clear() {
    count = 0;
  }
}
