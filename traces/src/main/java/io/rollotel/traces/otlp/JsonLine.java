package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A line of JSON under construction, as UTF-8 bytes in one reused buffer.
 *
 * <p>The buffer is bounded. The rest of a giant line goes, piece by piece, to {@link #spillTo}'s
 * stream. Without a stream it is only counted; the line can then be built once more, with a stream.
 */
public final class JsonLine {

  private static final int FIRST_CAPACITY_BYTES = 16 << 10;

  /** A line longer than this is never in memory as a whole. */
  public static final int MAX_CAPACITY_BYTES = 2 << 20;

  /** Longer values are appended in pieces of this size. */
  private static final int PIECE_BYTES = 48 << 10;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** A word with a one in each byte. */
  private static final long ONES = 0x0101_0101_0101_0101L;

  private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;

  private static final byte[] HEX = "0123456789abcdef".getBytes(US_ASCII);
  private static final byte[] TRUE = "true".getBytes(US_ASCII);
  private static final byte[] FALSE = "false".getBytes(US_ASCII);

  private byte[] buffer = new byte[FIRST_CAPACITY_BYTES];
  private int length;

  private @Nullable OutputStream spill;
  private @Nullable IOException failure;
  private long spilledBytes;

  /** The number of bytes of the line, including those no longer in the buffer. */
  public long length() {
    return spilledBytes + length;
  }

  /** Whether all of the line is in the buffer. */
  public boolean isWhole() {
    return spilledBytes == 0;
  }

  /** Empties the line; the next one spills nowhere. */
  public void clear() {
    length = 0;
    spilledBytes = 0;
    spill = null;
    failure = null;
  }

  /** Writes data that does not fit to this stream, until the line is cleared. */
  public void spillTo(OutputStream out) {
    spill = out;
  }

  /**
   * Writes the contents of the buffer, in one call.
   *
   * @throws IOException if that fails, or an earlier write of this line has failed
   */
  public void writeTo(OutputStream out) throws IOException {
    if (failure != null) {
      throw failure;
    }
    out.write(buffer, 0, length);
  }

  public void newline() {
    raw('\n');
  }

  void startObject() {
    separate();
    raw('{');
  }

  void endObject() {
    raw('}');
  }

  void startArray() {
    separate();
    raw('[');
  }

  void endArray() {
    raw(']');
  }

  /** Appends a key, given quoted and with its colon. */
  void key(byte[] key) {
    separate();
    raw(key);
  }

  void bool(boolean value) {
    separate();
    raw(value ? TRUE : FALSE);
  }

  void number(long value) {
    separate();
    decimal(value);
  }

  void quotedNumber(long value) {
    separate();
    raw('"');
    decimal(value);
    raw('"');
  }

  void quotedUnsignedNumber(long value) {
    separate();
    raw('"');
    unsignedDecimal(value);
    raw('"');
  }

  /** Appends a double as Go prints it, or a string if it is not finite. */
  void number(double value) {
    separate();
    String text =
        Double.isFinite(value) ? GoDouble.text(value) : '"' + Double.toString(value) + '"';
    byte[] ascii = text.getBytes(US_ASCII);
    raw(ascii, 0, ascii.length);
  }

  /** Appends bytes as hex, eight digits at a time; their number is a multiple of four. */
  void hex(byte[] bytes, int from, int count) {
    separate();
    ensure(2 * count + 2);
    buffer[length++] = '"';
    for (int i = from; i < from + count; i += 4) {
      long spread =
          (bytes[i] & 0xffL)
              | ((bytes[i + 1] & 0xffL) << 16)
              | ((bytes[i + 2] & 0xffL) << 32)
              | ((bytes[i + 3] & 0xffL) << 48);
      // The high half of each byte first.
      long nibbles = ((spread >>> 4) | (spread << 8)) & (15 * ONES);
      // Those above nine have a bit of 16 once six is added, and become letters.
      long letters = ((nibbles + 6 * ONES) >>> 4) & ONES;
      LONG.set(buffer, length, nibbles + '0' * ONES + letters * ('a' - '9' - 1));
      length += 8;
    }
    buffer[length++] = '"';
  }

  void base64(byte[] bytes, int from, int count) {
    separate();
    raw('"');
    // Three bytes become four characters: pieces of threefold length need no filling.
    for (int done = 0; done < count; done += PIECE_BYTES / 2) {
      int piece = Math.min(PIECE_BYTES / 2, count - done);
      byte[] copy = Arrays.copyOfRange(bytes, from + done, from + done + piece);
      byte[] text = Base64.getEncoder().encode(copy);
      raw(text, 0, text.length);
    }
    raw('"');
  }

  /**
   * Appends a string given in UTF-8.
   *
   * @return the index of the first byte that is not UTF-8; -1 if all are
   */
  int string(byte[] bytes, int from, int count) {
    separate();
    raw('"');
    int at = from;
    int to = from + count;
    while (at < to) {
      int end = to - at > PIECE_BYTES ? at + PIECE_BYTES : to;
      ensure(end - at + Long.BYTES);
      at = plain(bytes, at, end);
      if (at < end) {
        int next = special(bytes, at, to);
        if (next == at) {
          return at;
        }
        at = next;
      }
    }
    raw('"');
    return -1;
  }

  /**
   * Copies up to the first byte that is not ASCII or must be escaped; returns its index. The buffer
   * has room for all of it and for eight more bytes.
   */
  private int plain(byte[] bytes, int from, int to) {
    byte[] target = buffer;
    int shift = length - from;
    int at = from;
    while (at <= to - Long.BYTES) {
      long word = (long) LONG.get(bytes, at);
      if (!isPlain(word)) {
        break;
      }
      LONG.set(target, at + shift, word);
      at += Long.BYTES;
    }
    int rest = to - at;
    if (0 < rest && rest < Long.BYTES && at <= bytes.length - Long.BYTES) {
      // Bytes after the end count as spaces; later writes overwrite them.
      long kept = (1L << (8 * rest)) - 1;
      long word = ((long) LONG.get(bytes, at) & kept) | (' ' * ONES & ~kept);
      if (isPlain(word)) {
        LONG.set(target, at + shift, word);
        at = to;
      }
    }
    while (at < to) {
      byte next = bytes[at];
      if (next < 0x20 || next == '"' || next == '\\') {
        break;
      }
      target[at + shift] = next;
      at++;
    }
    length = at + shift;
    return at;
  }

  /** Whether all of a word's bytes are ASCII and none must be escaped. */
  private static boolean isPlain(long word) {
    // The highest bit of a byte is set for a value above 127 or below 32, a quote and a backslash.
    long marks =
        word | (word - 0x20 * ONES) | ((word ^ '"' * ONES) - ONES) | ((word ^ '\\' * ONES) - ONES);
    return (marks & HIGHEST_BITS) == 0;
  }

  /**
   * Appends an uncommon character; returns the index after it, or the same index if it is invalid.
   */
  private int special(byte[] bytes, int at, int to) {
    byte next = bytes[at];
    int size = next >= 0 ? 1 : Utf8.sequenceSize(bytes, at, to);
    if (size == 0) {
      return at;
    }
    if (isEscaped(bytes, at, size)) {
      escape(size == 1 ? next : 0x2028 + (bytes[at + 2] & 1));
    } else {
      raw(bytes, at, size);
    }
    return at + size;
  }

  /** Whether it must not appear in a string; U+2028 and U+2029 end a line for many readers. */
  private static boolean isEscaped(byte[] bytes, int at, int size) {
    byte first = bytes[at];
    return switch (size) {
      case 1 -> first < 0x20 || first == '"' || first == '\\';
      case 3 ->
          first == (byte) 0xe2 && bytes[at + 1] == (byte) 0x80 && (bytes[at + 2] & 0xfe) == 0xa8;
      default -> false;
    };
  }

  private void escape(int character) {
    raw('\\');
    switch (character) {
      case '"', '\\' -> raw((char) character);
      case '\n' -> raw('n');
      case '\r' -> raw('r');
      case '\t' -> raw('t');
      default -> {
        raw('u');
        for (int shift = 12; shift >= 0; shift -= 4) {
          raw((char) HEX[character >> shift & 15]);
        }
      }
    }
  }

  private void decimal(long value) {
    if (value < 0) {
      raw('-');
    }
    // The magnitude of Long.MIN_VALUE is right as an unsigned number.
    unsignedDecimal(value < 0 ? -value : value);
  }

  private void unsignedDecimal(long value) {
    ensure(DecimalDigits.MOST);
    length = DecimalDigits.write(value, buffer, length);
  }

  /** Appends a comma unless the next item is the first in its object or array, or a value. */
  private void separate() {
    if (length > 0) {
      byte last = buffer[length - 1];
      if (last != '{' && last != '[' && last != ':') {
        raw(',');
      }
    }
  }

  /** Appends JSON unchanged. For a few bytes this is faster than {@code System.arraycopy}. */
  void raw(byte[] json) {
    int count = json.length;
    ensure(count);
    byte[] target = buffer;
    int to = length;
    if (count < Long.BYTES) {
      for (int i = 0; i < count; i++) {
        target[to + i] = json[i];
      }
    } else {
      int last = count - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        LONG.set(target, to + i, (long) LONG.get(json, i));
      }
      LONG.set(target, to + last, (long) LONG.get(json, last));
    }
    length = to + count;
  }

  private void raw(char ascii) {
    ensure(1);
    buffer[length++] = (byte) ascii;
  }

  private void raw(byte[] bytes, int from, int count) {
    ensure(count);
    System.arraycopy(bytes, from, buffer, length, count);
    length += count;
  }

  private void ensure(int more) {
    if (more > buffer.length - length) {
      makeRoom(more);
    }
  }

  private void makeRoom(int more) {
    int wanted = length + more;
    if (wanted <= MAX_CAPACITY_BYTES) {
      buffer = Arrays.copyOf(buffer, Math.min(Math.max(wanted, 2 * length), MAX_CAPACITY_BYTES));
      return;
    }
    try {
      if (spill != null && failure == null) {
        spill.write(buffer, 0, length - 1);
      }
    } catch (IOException e) {
      failure = e;
    }
    // The last byte shows whether a comma is needed.
    buffer[0] = buffer[length - 1];
    spilledBytes += length - 1;
    length = 1;
  }
}
