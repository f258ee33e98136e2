package io.rollotel.traces.spans;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Rows of {@link Spans}, by their numbers. */
public final class Rows {

  private Rows() {}

  /**
   * Those that a condition holds for, in the same order. A loop that all callers share: a stream
   * over each of a million spans costs the compiler's time as well.
   */
  public static int[] where(IntPredicate condition, int[] rows) {
    int[] found = new int[rows.length];
    int count = 0;
    for (int row : rows) {
      if (condition.test(row)) {
        found[count++] = row;
      }
    }
    return Arrays.copyOf(found, count);
  }
}
