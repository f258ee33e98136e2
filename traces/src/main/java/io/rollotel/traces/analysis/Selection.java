package io.rollotel.traces.analysis;

import java.util.Arrays;

/** Finds what would be at a place if numbers were sorted, which takes a fraction of a sort. */
final class Selection {

  private static final int SHORT = 32;

  private Selection() {}

  /**
   * Brings to the place what would be there if that part of the array were sorted: none before it
   * is greater, and none behind it is smaller.
   *
   * @param place from {@code from} on and before {@code to}
   */
  static void settle(long[] numbers, int from, int to, int place) {
    int low = from;
    int high = to - 1;
    // Numbers may be in an order for which each round takes away next to nothing.
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
        return; // between the two all are equal
      }
    }
    Arrays.sort(numbers, low, high + 1);
  }

  private static long median(long a, long b, long c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }
}
