package io.rollotel.traces.analysis;

import java.util.Arrays;

/** Finds the number that would be at a place after sorting, at a fraction of the cost of a sort. */
final class Selection {

  private static final int SHORT = 32;

  private Selection() {}

  /**
   * Moves to the place the number that sorting that part of the array would put there: none before
   * it is greater, and none after it is smaller.
   *
   * @param place from {@code from} on and before {@code to}
   */
  static void settle(long[] numbers, int from, int to, int place) {
    int low = from;
    int high = to - 1;
    // In an unfortunate order, each round removes almost nothing.
    int rounds = 3 * (Integer.SIZE - Integer.numberOfLeadingZeros(to - from));
    while (high - low > SHORT && rounds-- > 0) {
      long pivot = median(numbers[low], numbers[(low + high) >>> 1], numbers[high]);
      int left = low;
      int right = high;
      while (left <= right) {
        while (numbers[left] < pivot) {
          left++;
        }
        while (numbers[right] > pivot) {
          right--;
        }
        if (left <= right) {
          long swapped = numbers[left];
          numbers[left++] = numbers[right];
          numbers[right--] = swapped;
        }
      }
      if (place <= right) {
        high = right;
      } else if (place >= left) {
        low = left;
      } else {
        return; // all between the two are equal
      }
    }
    Arrays.sort(numbers, low, high + 1);
  }

  private static long median(long a, long b, long c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }
}
