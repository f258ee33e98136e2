package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Base64;

/** A line of JSON under construction, as UTF-8 bytes in one buffer that is used again and again. */
final class JsonLine {

  private static final int FIRST_CAPACITY_BYTES = 16 << 10;

  /** A buffer that one giant line has blown up beyond this is not kept. */
  private static final int KEPT_CAPACITY_BYTES = 4 << 20;

  /** Of an unsigned number of 64 bits. */
  private static final int MAX_DIGITS = 20;

  private static final byte[] HEX = "0123456789abcdef".getBytes(US_ASCII);
  private static final byte[] TRUE = "true".getBytes(US_ASCII);
  private static final byte[] FALSE = "false".getBytes(US_ASCII);

  private byte[] buffer = new byte[FIRST_CAPACITY_BYTES];
  private int length;

  int length() {
    return length;
  }

  /** Empties the line. */
  void clear() {
    length = 0;
    if (buffer.length > KEPT_CAPACITY_BYTES) {
      buffer = new byte[FIRST_CAPACITY_BYTES];
    }
  }

  /** Writes the line in one call. */
  void writeTo(OutputStream out) throws IOException {
    out.write(buffer, 0, length);
  }

  void newline() {
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
    raw(key, 0, key.length);
  }

  void bool(boolean value) {
    separate();
    byte[] text = value ? TRUE : FALSE;
    raw(text, 0, text.length);
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

  /** Appends a double as Go prints it, what is not finite as a string. */
  void number(double value) {
    separate();
    String text = Double.isFinite(value) ? goText(value) : '"' + Double.toString(value) + '"';
    byte[] ascii = text.getBytes(US_ASCII);
    raw(ascii, 0, ascii.length);
  }

  void hex(byte[] bytes, int from, int count) {
    separate();
    raw('"');
    ensure(2 * count);
    for (int i = from; i < from + count; i++) {
      buffer[length++] = HEX[bytes[i] >> 4 & 15];
      buffer[length++] = HEX[bytes[i] & 15];
    }
    raw('"');
  }

  void base64(byte[] bytes, int from, int count) {
    separate();
    raw('"');
    byte[] text = Base64.getEncoder().encode(Arrays.copyOfRange(bytes, from, from + count));
    raw(text, 0, text.length);
    raw('"');
  }

  /**
   * Appends a string that is given in UTF-8.
   *
   * @return the index of the first byte that is not UTF-8, -1 where all are
   */
  int string(byte[] bytes, int from, int count) {
    separate();
    raw('"');
    int to = from + count;
    int copied = from;
    int at = from;
    while (at < to) {
      byte next = bytes[at];
      if (next >= 0x20 && next != '"' && next != '\\') {
        at++; // most of all text
        continue;
      }
      int size = next >= 0 ? 1 : sequenceSize(bytes, at, to);
      if (size == 0) {
        return at;
      }
      if (isEscaped(bytes, at, size)) {
        raw(bytes, copied, at - copied);
        escape(size == 1 ? next : 0x2028 + (bytes[at + 2] & 1));
        copied = at + size;
      }
      at += size;
    }
    raw(bytes, copied, to - copied);
    raw('"');
    return -1;
  }

  /** Whether it must not stand in a string; U+2028 and U+2029 end a line for many readers. */
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

  /** The size of a sequence of two to four bytes, 0 if ill-formed: Unicode 16, table 3-7. */
  private static int sequenceSize(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    int size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size == 0 || size > to - at) {
      return 0;
    }
    int second = bytes[at + 1] & 0xff;
    int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) {
      return 0;
    }
    for (int i = at + 2; i < at + size; i++) {
      if ((bytes[i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return size;
  }

  private static String goText(double value) {
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    double magnitude = Math.abs(value);
    if (magnitude >= 1e-6 && magnitude < 1e21) {
      return decimal.toPlainString();
    }
    int exponent = decimal.precision() - decimal.scale() - 1;
    String mantissa = decimal.movePointLeft(exponent).toPlainString();
    String digits = Integer.toString(Math.abs(exponent));
    return mantissa + (exponent < 0 ? "e-" : "e+") + (digits.length() < 2 ? "0" : "") + digits;
  }

  private void decimal(long value) {
    if (value < 0) {
      raw('-');
    }
    // The magnitude of Long.MIN_VALUE is right as an unsigned number.
    unsignedDecimal(value < 0 ? -value : value);
  }

  private void unsignedDecimal(long value) {
    ensure(2 * MAX_DIGITS);
    // Backwards, behind the place where they belong: their number is known at the end only.
    int end = length + 2 * MAX_DIGITS;
    int at = end;
    long rest = value;
    if (rest < 0) {
      rest = Long.divideUnsigned(value, 10);
      buffer[--at] = (byte) ('0' + (value - rest * 10));
    }
    do {
      long tenth = rest / 10;
      buffer[--at] = (byte) ('0' + (rest - tenth * 10));
      rest = tenth;
    } while (rest != 0);
    System.arraycopy(buffer, at, buffer, length, end - at);
    length += end - at;
  }

  /** Appends a comma unless what follows is the first of its object or array, or a value. */
  private void separate() {
    if (length > 0) {
      byte last = buffer[length - 1];
      if (last != '{' && last != '[' && last != ':') {
        raw(',');
      }
    }
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
      long wanted = Math.max((long) length + more, 2L * buffer.length);
      // No overflow: a line is at most nine times its request (TracesWriter.MAX_REQUEST_BYTES).
      buffer = Arrays.copyOf(buffer, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
    }
  }
}
