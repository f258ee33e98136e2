package io.rollotel.agent.recorder;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.recording.RecordingLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of spans, each written into the file once, as long as there is room. The first span of
 * a name takes a lock. If there are very many names, such as names with a number in them, later
 * ones are not written.
 */
final class NameTable {

  private static final int MOST_BYTES = 256;

  private final ByteBuffer bytes;
  private final RecordingLayout layout;
  private final Slots slots;
  private final ConcurrentHashMap<String, Integer> numbers = new ConcurrentHashMap<>();

  /** The next number, which is an offset; 0 stands for none. Guarded by this. */
  private int next = 8;

  private volatile boolean isFull;

  NameTable(ByteBuffer bytes, RecordingLayout layout, Slots slots) {
    this.bytes = bytes;
    this.layout = layout;
    this.slots = slots;
  }

  /** The number of a name; 0 if there is no room for it. */
  int number(String name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    if (isFull) {
      slots.count(RecordingLayout.NAMES_OVERFLOW_AT);
      return 0;
    }
    return add(name);
  }

  private synchronized int add(String name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    byte[] text = cut(name.getBytes(UTF_8));
    int after = next + 8 + (text.length + 7 & ~7);
    if (after > layout.nameBytes()) {
      isFull = true;
      slots.count(RecordingLayout.NAMES_OVERFLOW_AT);
      return 0;
    }
    int at = layout.namesAt() + next;
    bytes.putInt(at, text.length);
    bytes.putInt(at + 4, RecordingLayout.checksum(text));
    for (int i = 0; i < text.length; i++) {
      bytes.put(at + 8 + i, text[i]);
    }
    int number = next;
    next = after;
    bytes.putLong(RecordingLayout.NAMES_USED_AT, next);
    numbers.put(name, number);
    return number;
  }

  /** Does not cut within a character. */
  private static byte[] cut(byte[] text) {
    int length = Math.min(text.length, MOST_BYTES);
    while (length < text.length && length > 0 && (text[length] & 0xc0) == 0x80) {
      length--;
    }
    return length == text.length ? text : Arrays.copyOf(text, length);
  }
}
