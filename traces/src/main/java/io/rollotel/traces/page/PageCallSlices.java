package io.rollotel.traces.page;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The call paths of each step or each worker: for every slice, the paths that occur in it, with the
 * same numbers as for the whole run. Most slices have few of the paths.
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
   * Creates an empty one.
   *
   * @param most the most pairs of a slice and a path
   */
  PageCallSlices(int most) {
    this.most = most;
  }

  /** Whether it did not fit, so that it is useless. */
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
   * For each non-empty slice, its distance from the previous one and the number of its paths; for
   * each path, its distance from the previous one, count, total, self and errors.
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
