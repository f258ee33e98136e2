package io.rollotel.traces.partition;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a section of a block that is being written: one that comes again is a number, {@link
 * TextReader} the other end. Few are remembered, each in the place that its hash gives it: ids that
 * never come again must not take memory.
 */
final class KnownTexts {

  static final int INLINE = 0;
  static final int EMPTY = 1;
  static final int FIRST = 2;

  /** A longer one is not numbered. */
  static final int MOST_CHARS = 256;

  private final @Nullable String[] texts;
  private final int[] numbers;
  private int count;

  /**
   * Remembers so many.
   *
   * @param places a power of two
   */
  KnownTexts(int places) {
    texts = new String[places];
    numbers = new int[places];
  }

  void write(Bytes out, String text) {
    if (text.isEmpty()) {
      out.u8(EMPTY);
      return;
    }
    if (text.length() > MOST_CHARS) {
      out.u8(INLINE);
      out.text(text);
      return;
    }
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & (texts.length - 1);
    if (text.equals(texts[place])) {
      out.varint(FIRST + (long) numbers[place]);
      return;
    }
    texts[place] = text;
    numbers[place] = count++;
    out.u8(INLINE);
    out.text(text);
  }

  void clear() {
    Arrays.fill(texts, null);
    count = 0;
  }
}
