package io.rollotel.traces.page;

import java.util.Arrays;

/** Times by bar of the chart of steps; most bars have none. */
final class StepSeries {

  private int size;
  private int[] bars = {};
  private double[] nanos = {};

  /**
   * Adds a time; bars come in their order.
   *
   * @return whether it is the first one of its bar
   */
  boolean add(int bar, double time) {
    boolean isFirst = size == 0 || bars[size - 1] != bar;
    if (isFirst) {
      if (size == bars.length) {
        bars = Arrays.copyOf(bars, Math.max(2, 2 * size));
        nanos = Arrays.copyOf(nanos, bars.length);
      }
      bars[size] = bar;
      nanos[size++] = 0;
    }
    nanos[size - 1] += time;
    return isFirst;
  }

  /** Their number; then for each, its distance in bars from the previous one, and its µs. */
  void write(PageBytes to) {
    to.add(size);
    for (int i = 0; i < size; i++) {
      to.add(i == 0 ? bars[0] : bars[i] - bars[i - 1] - 1);
      to.add(Math.round(nanos[i] / 1e3));
    }
  }
}
