package io.rollotel.traces.otlp;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The last attribute that was read at each place of a list: the next span of a thread often has the
 * same, byte for byte.
 */
final class KnownAttributes {

  /** A power of two. Later places share those of earlier ones. */
  private static final int PLACES = 32;

  private static final int MAX_BYTES = 256;

  private final byte[][] texts = new byte[PLACES][0];
  private final int[] lengths = new int[PLACES];
  private final @Nullable Set<?>[] kept = new Set<?>[PLACES];
  private final Attribute[] attributes = new Attribute[PLACES];

  /**
   * The length of the attribute that begins there, if it is the last one of this place; otherwise
   * 0. It is that of {@link #at}.
   *
   * @param ofKept the set that decided which attributes are kept
   */
  @SuppressWarnings("ReferenceEquality") // of a parser; another one may keep others
  int length(int place, byte[] in, int from, @Nullable Set<String> ofKept) {
    int i = place & (PLACES - 1);
    int length = lengths[i];
    return kept[i] == ofKept
            && length <= in.length - from
            && Arrays.equals(in, from, from + length, texts[i], 0, length)
        ? length
        : 0;
  }

  Attribute at(int place) {
    return attributes[place & (PLACES - 1)];
  }

  /** Keeps an attribute, unless it is long or its value could be modified. */
  void put(
      int place, byte[] in, int from, int to, @Nullable Set<String> ofKept, Attribute attribute) {
    int i = place & (PLACES - 1);
    int length = to - from;
    Object value = attribute.value();
    if (length > MAX_BYTES
        || value instanceof byte[]
        || value instanceof List
        || value instanceof Map) {
      return;
    }
    if (texts[i].length < length) {
      texts[i] = new byte[Math.min(2 * length, MAX_BYTES)];
    }
    System.arraycopy(in, from, texts[i], 0, length);
    lengths[i] = length;
    kept[i] = ofKept;
    attributes[i] = attribute;
  }
}
