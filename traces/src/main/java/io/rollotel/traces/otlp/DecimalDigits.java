package io.rollotel.traces.otlp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers as decimal digits, written two at a time. */
final class DecimalDigits {

  /** How many digits the largest number has. */
  static final int MOST = 20;

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  /** The digits of 0 to 99, in storage order. */
  private static final short[] PAIRS = new short[100];

  /** Ten to the power of the index. */
  private static final long[] POWERS = new long[19];

  static {
    for (int i = 0; i < PAIRS.length; i++) {
      PAIRS[i] = (short) (('0' + i / 10) | (('0' + i % 10) << 8));
    }
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = 10 * POWERS[i - 1];
    }
  }

  private DecimalDigits() {}

  /**
   * Writes an unsigned number to a place with room for {@link #MOST} digits.
   *
   * @return the index after its last digit
   */
  static int write(long value, byte[] target, int from) {
    long rest = value;
    int end = from + count(value);
    int at = end;
    if (rest < 0) {
      rest = Long.divideUnsigned(value, 10);
      target[--at] = (byte) ('0' + (value - rest * 10));
    }
    while (rest >= 10) {
      long hundredth = rest / 100;
      int pair = (int) (rest - hundredth * 100);
      at -= 2;
      SHORT.set(target, at, PAIRS[pair]);
      if (hundredth == 0) {
        return end;
      }
      rest = hundredth;
    }
    target[--at] = (byte) ('0' + rest);
    return end;
  }

  private static int count(long value) {
    if (value < 0) {
      return Long.compareUnsigned(value, 10 * POWERS[18]) < 0 ? 19 : 20;
    }
    int digits = value < POWERS[10] ? 1 : 11;
    while (digits < POWERS.length && value >= POWERS[digits]) {
      digits++;
    }
    return digits;
  }
}
