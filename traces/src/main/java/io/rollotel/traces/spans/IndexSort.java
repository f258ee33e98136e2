package io.rollotel.traces.spans;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/** Sorts indexes into columns; stable, and without allocating an object for each. */
public final class IndexSort {

  /** An order of indexes. */
  public interface Order {
    /** Whether the first must come strictly before the second. */
    boolean isBefore(int a, int b);
  }

  private static final int SHORT = 12;

  private IndexSort() {}

  /** Sorts a part of an array, {@code to} not included. */
  static void sort(int[] indexes, int from, int to, Order order) {
    if (to - from <= SHORT) {
      insert(indexes, from, to, order);
    } else if (!isSorted(indexes, from, to, order)) {
      // Only the part: a column of all spans has a part for each trace.
      int[] part = Arrays.copyOfRange(indexes, from, to);
      sort(part.clone(), part, 0, part.length, order);
      System.arraycopy(part, 0, indexes, from, part.length);
    }
  }

  /**
   * Sorts a part of an array by an order that compares these keys first, the smaller before the
   * greater. Sorting numbers is faster than calling an order.
   *
   * @param key of an index, 0 or more
   */
  static void sort(int[] indexes, int from, int to, IntToLongFunction key, Order order) {
    int length = to - from;
    if (length <= SHORT) {
      insert(indexes, from, to, order);
    } else if (!isSorted(indexes, from, to, order) && !sortByKey(indexes, from, to, key, order)) {
      sort(indexes, from, to, order);
    }
  }

  /** Does nothing if the range of the keys leaves no room for an index in a long. */
  private static boolean sortByKey(
      int[] indexes, int from, int to, IntToLongFunction key, Order order) {
    long[] keys = new long[to - from];
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key.applyAsLong(indexes[from + i]);
      least = Math.min(least, keys[i]);
      most = Math.max(most, keys[i]);
    }
    int placeBits = Integer.SIZE - Integer.numberOfLeadingZeros(keys.length - 1);
    if (most - least >= 1L << (Long.SIZE - 1 - placeBits)) {
      return false;
    }
    for (int i = 0; i < keys.length; i++) {
      keys[i] = (keys[i] - least) << placeBits | i;
    }
    Arrays.sort(keys);
    int[] part = Arrays.copyOfRange(indexes, from, to);
    int first = 0;
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] >>> placeBits != keys[first] >>> placeBits) {
        sort(indexes, from + first, from + i, order);
        first = i;
      }
      indexes[from + i] = part[(int) keys[i] & ((1 << placeBits) - 1)];
    }
    sort(indexes, from + first, to, order);
    return true;
  }

  /** Sorts all of an array. */
  public static void sort(int[] indexes, Order order) {
    sort(indexes, 0, indexes.length, order);
  }

  /**
   * Sorts all of an array by an order that compares these keys first, the smaller before the
   * greater.
   *
   * @param key of an index, 0 or more
   */
  public static void sort(int[] indexes, IntToLongFunction key, Order order) {
    sort(indexes, 0, indexes.length, key, order);
  }

  private static boolean isSorted(int[] indexes, int from, int to, Order order) {
    for (int i = from + 1; i < to; i++) {
      if (order.isBefore(indexes[i], indexes[i - 1])) {
        return false;
      }
    }
    return true;
  }

  /** Both hold the same; the second is sorted by halves that are sorted in the first. */
  private static void sort(int[] source, int[] target, int from, int to, Order order) {
    if (to - from <= SHORT) {
      insert(target, from, to, order);
      return;
    }
    int middle = (from + to) >>> 1;
    sort(target, source, from, middle, order);
    sort(target, source, middle, to, order);
    int left = from;
    int right = middle;
    for (int i = from; i < to; i++) {
      boolean isLeft =
          right == to || (left < middle && !order.isBefore(source[right], source[left]));
      target[i] = isLeft ? source[left++] : source[right++];
    }
  }

  private static void insert(int[] indexes, int from, int to, Order order) {
    for (int i = from + 1; i < to; i++) {
      int moved = indexes[i];
      int j = i;
      for (; j > from && order.isBefore(moved, indexes[j - 1]); j--) {
        indexes[j] = indexes[j - 1];
      }
      indexes[j] = moved;
    }
  }
}
