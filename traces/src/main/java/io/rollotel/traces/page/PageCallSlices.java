package io.rollotel.traces.page;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What call paths have of each step, or of each worker: for every slice the paths that occur in it,
 * with the same numbers as over the whole run. Most slices have few of the paths.
 */
final class PageCallSlices {

  private static final class Sums {
    long count;
    long total;
    long self;
    long errors;
  }

  private final Map<Long, Sums> sums = new HashMap<>();
  private final int most;

  /**
   * Begins.
   *
   * @param most how many pairs of a slice and a path there may be
   */
  PageCallSlices(int most) {
    this.most = most;
  }

  /** Whether there was no room for all of it, so that it is of no use. */
  boolean isTooMuch() {
    return sums.size() > most;
  }

  void add(int slice, int path, long count, long total, long self, long errors) {
    if (slice < 0 || path < 0 || isTooMuch()) {
      return;
    }
    Sums of = sums.computeIfAbsent(((long) slice << 32) + path, none -> new Sums());
    of.count += count;
    of.total += total;
    of.self += self;
    of.errors += errors;
  }

  /**
   * Of each slice that has any how far it is from the one before and how many paths it has; of each
   * of these how far it is from the one before, count, total, self and errors.
   */
  String base64() {
    long[] keys = sums.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
    PageBytes bytes = new PageBytes();
    int before = 0;
    for (int from = 0; from < keys.length; ) {
      int slice = slice(keys[from]);
      int to = from;
      while (to < keys.length && slice(keys[to]) == slice) {
        to++;
      }
      bytes.add(slice - before);
      before = slice;
      bytes.add(to - from);
      write(bytes, Arrays.copyOfRange(keys, from, to));
      from = to;
    }
    return bytes.base64();
  }

  private void write(PageBytes to, long[] keys) {
    int before = 0;
    for (long key : keys) {
      int path = (int) key;
      to.add(path - before);
      before = path;
      Sums of = sums.getOrDefault(key, new Sums());
      to.add(of.count);
      to.add(of.total);
      to.add(of.self);
      to.add(of.errors);
    }
  }

  private static int slice(long key) {
    return (int) (key >>> 32);
  }
}
