package io.rollotel.agent.recorder;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Span ids, roughly in the order in which the spans ended: lookups in that order need no search.
 * For use by one thread.
 */
public final class ExportedSpanIds {

  private static final int NEAR = 8;

  private final long[] ids;

  /** Set once a lookup came out of order. */
  private long @Nullable [] sorted;

  private int next;

  /** Uses the array itself, without a copy. */
  public ExportedSpanIds(long[] ids) {
    this.ids = ids;
  }

  int size() {
    return ids.length;
  }

  boolean contains(long id) {
    // Threads that end spans concurrently change the order slightly.
    int end = Math.min(next + NEAR, ids.length);
    for (int i = next; i < end; i++) {
      if (ids[i] == id) {
        next = i + 1;
        return true;
      }
    }
    long[] searched = sorted;
    if (searched == null) {
      searched = ids.clone();
      Arrays.sort(searched);
      sorted = searched;
    }
    return Arrays.binarySearch(searched, id) >= 0;
  }
}
