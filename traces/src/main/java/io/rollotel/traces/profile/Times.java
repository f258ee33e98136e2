package io.rollotel.traces.profile;

import io.rollotel.traces.spans.IndexSort;
import java.util.Arrays;

/** Periods with two numbers each; after {@link #seal} by start, and none overlaps. */
final class Times {

  private int size;
  private long[] from = new long[8];
  private long[] to = new long[8];
  private int[] first = new int[8];
  private int[] second = new int[8];

  void add(long start, long end, int one, int two) {
    if (size == from.length) {
      from = Arrays.copyOf(from, 2 * size);
      to = Arrays.copyOf(to, 2 * size);
      first = Arrays.copyOf(first, 2 * size);
      second = Arrays.copyOf(second, 2 * size);
    }
    from[size] = start;
    to[size] = Math.max(start, end);
    first[size] = one;
    second[size++] = two;
  }

  /** If periods overlap, the one that began first keeps the time. */
  void seal() {
    seal(false);
  }

  /** For moments, which may coincide. */
  void sealMoments() {
    seal(true);
  }

  private void seal(boolean isKeptWhole) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    IndexSort.sort(order, (a, b) -> from[a] != from[b] ? from[a] < from[b] : to[a] > to[b]);
    Times sorted = new Times();
    long reached = Long.MIN_VALUE;
    for (int i : order) {
      if (isKeptWhole) {
        sorted.add(from[i], to[i], first[i], second[i]);
      } else if (to[i] > reached) {
        sorted.add(Math.max(from[i], reached), to[i], first[i], second[i]);
        reached = to[i];
      }
    }
    size = sorted.size;
    from = sorted.from;
    to = sorted.to;
    first = sorted.first;
    second = sorted.second;
  }

  int size() {
    return size;
  }

  long from(int i) {
    return from[i];
  }

  long to(int i) {
    return to[i];
  }

  int first(int i) {
    return first[i];
  }

  int second(int i) {
    return second[i];
  }

  /** The first one that ends after a moment, if none overlaps. */
  int endingAfter(long moment) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (to[middle] <= moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first that begins at a moment or later. */
  int beginningAt(long moment) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (from[middle] < moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
