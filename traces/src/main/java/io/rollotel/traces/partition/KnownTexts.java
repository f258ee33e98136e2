package io.rollotel.traces.partition;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a section of a block being written: a repeated text becomes a number, which {@link
 * TextReader} resolves. Only few are remembered, each at the place given by its hash, because ids
 * that never repeat must not take memory.
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
