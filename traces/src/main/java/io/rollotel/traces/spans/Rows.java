package io.rollotel.traces.spans;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Rows of {@link Spans}, by their numbers. */
public final class Rows {

  private Rows() {}

  /** The rows of a run, in the order of their numbers. */
  public static int[] of(Spans spans, int run) {
    int[] found = new int[spans.size()];
    int count = 0;
    for (int row = 0; row < found.length; row++) {
      if (spans.run(row) == run) {
        found[count++] = row;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /**
   * The rows that meet a condition, in the same order. All callers share this loop, because streams
   * over a million spans would also cost compilation time.
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
