package io.rollotel.traces.spans;

import java.util.Arrays;

/** Chosen rows of some spans, and their numbers in a copy that has only these. */
final class RowPlaces {

  private final int[] rows;

  /**
   * The rows.
   *
   * @param rows ascending; not changed afterwards
   */
  RowPlaces(int[] rows) {
    this.rows = rows;
  }

  int size() {
    return rows.length;
  }

  /** The row that has this number in the copy. */
  int row(int place) {
    return rows[place];
  }

  /** The number in the copy; {@link SpanTree#UNKNOWN} if the row is not there. */
  int of(int row) {
    int place = Arrays.binarySearch(rows, row);
    return place < 0 ? SpanTree.UNKNOWN : place;
  }
}
