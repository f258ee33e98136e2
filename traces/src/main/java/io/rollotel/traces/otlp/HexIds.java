package io.rollotel.traces.otlp;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Ids as numbers. Digits and letters follow each other at random in an id, so that a branch for
 * each of them costs more than all the rest: there is none.
 */
public final class HexIds {

  private static final int LONG_DIGITS = 16;

  /** By character; negative if it is no lower-case hex digit. */
  private static final byte[] DIGITS = new byte[256];

  static {
    Arrays.fill(DIGITS, (byte) -1);
    for (int digit = 0; digit < 16; digit++) {
      DIGITS[Character.forDigit(digit, 16)] = (byte) digit;
    }
  }

  private HexIds() {}

  /**
   * The number that a span's id is.
   *
   * @throws IllegalArgumentException if it is not hex
   */
  public static long toLong(String id) {
    return id.length() == LONG_DIGITS ? toLong(id, 0) : HexFormat.fromHexDigitsToLong(id);
  }

  /**
   * The number that 16 digits of an id are.
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
      all |= value | (0xff - digit); // negative beyond the table, too
    }
    return all < 0 ? HexFormat.fromHexDigitsToLong(id, from, from + LONG_DIGITS) : number;
  }

  /** Whether all of a part of an array are lower-case digits. */
  static boolean areDigits(byte[] text, int from, int to) {
    int all = 0;
    for (int i = from; i < to; i++) {
      all |= DIGITS[text[i] & 0xff];
    }
    return all >= 0;
  }
}
