package io.rollotel.agent.recorder;

import java.util.Arrays;

/** Some spans' ids. */
public final class SortedIds {

  private final long[] ids;

  /** Sorts the array itself. */
  public SortedIds(long[] ids) {
    Arrays.sort(ids);
    this.ids = ids;
  }

  int size() {
    return ids.length;
  }

  boolean contains(long id) {
    return Arrays.binarySearch(ids, id) >= 0;
  }
}
