package io.rollotel.traces.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

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

  /** By slice, then by path. */
  private final List<Map<Integer, Sums>> slices = new ArrayList<>();

  private int pairs;
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
    return pairs > most;
  }

  void add(int slice, int path, long count, long total, long self, long errors) {
    if (slice < 0 || path < 0 || isTooMuch()) {
      return;
    }
    while (slices.size() <= slice) {
      slices.add(new HashMap<>());
    }
    Map<Integer, Sums> paths = slices.get(slice);
    Sums of = paths.get(path);
    if (of == null) {
      of = new Sums();
      paths.put(path, of);
      pairs++;
    }
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
    PageBytes bytes = new PageBytes();
    int before = 0;
    for (int slice = 0; slice < slices.size(); slice++) {
      Map<Integer, Sums> paths = slices.get(slice);
      if (!paths.isEmpty()) {
        bytes.add(slice - before);
        before = slice;
        write(bytes, new TreeMap<>(paths));
      }
    }
    return bytes.base64();
  }

  private static void write(PageBytes to, SortedMap<Integer, Sums> paths) {
    to.add(paths.size());
    int before = 0;
    for (Map.Entry<Integer, Sums> entry : paths.entrySet()) {
      to.add(entry.getKey() - before);
      before = entry.getKey();
      Sums of = entry.getValue();
      to.add(of.count);
      to.add(of.total);
      to.add(of.self);
      to.add(of.errors);
    }
  }
}
