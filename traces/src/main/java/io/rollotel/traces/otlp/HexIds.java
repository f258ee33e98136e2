package io.rollotel.traces.otlp;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Ids as numbers. Digits and letters alternate at random in an id, so a branch for each of them
 * would cost more than everything else: there is none.
 */
public final class HexIds {

  private static final int LONG_DIGITS = 16;

  /** By character; negative if it is not a lower-case hex digit. */
  private static final byte[] DIGITS = new byte[256];

  static {
    Arrays.fill(DIGITS, (byte) -1);
    for (int digit = 0; digit < 16; digit++) {
      DIGITS[Character.forDigit(digit, 16)] = (byte) digit;
    }
  }

  private HexIds() {}

  /**
   * A span's id as a number.
   *
   * @throws IllegalArgumentException if it is not hex
   */
  public static long toLong(String id) {
    return id.length() == LONG_DIGITS ? toLong(id, 0) : HexFormat.fromHexDigitsToLong(id);
  }

  /**
   * 16 digits of an id as a number.
   *
   * @throws IllegalArgumentException if they are not hex
   */
  public static long toLong(String id, int from) {
    long number = 0;
    int all = 0;
    for (int i = from; i < from + LONG_DIGITS; i++) {
      char digit = id.charAt(i);
      int value = DIGITS[digit & 0xff];
      number = number << 4 | (value & 0xf);
      all |= value | (0xff - digit); // negative beyond the table as well
    }
    return all < 0 ? HexFormat.fromHexDigitsToLong(id, from, from + LONG_DIGITS) : number;
  }

  /** Whether a range of an array contains only lower-case hex digits. */
  static boolean areDigits(byte[] text, int from, int to) {
    int all = 0;
    for (int i = from; i < to; i++) {
      all |= DIGITS[text[i] & 0xff];
    }
    return all >= 0;
  }
}
