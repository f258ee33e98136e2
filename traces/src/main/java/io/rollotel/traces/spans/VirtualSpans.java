package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows that stand for missing spans, and the children of such rows whose ids are unknown. Takes
 * no memory while nothing is missing.
 */
final class VirtualSpans implements Serializable {

  /** They follow all rows that were read. */
  private int first = Integer.MAX_VALUE;

  /** The row above each span, plus one; otherwise 0. */
  private int[] above = {};

  /** Copies from other columns that are not the last rows. */
  private final BitSet copied = new BitSet();

  private final BitSet roots = new BitSet();

  private final BitSet open = new BitSet();

  private int @Nullable [] parents;

  /**
   * The parent of each span from the files, {@link SpanTree#NONE} or {@link SpanTree#UNKNOWN};
   * {@link SpansAround} are parents as well. Null until missing spans have been searched.
   */
  int @Nullable [] parents() {
    return parents;
  }

  void parents(int[] found) {
    parents = found;
  }

  /** This row and all after it are virtual. */
  void beginAt(int row) {
    first = Math.min(first, row);
  }

  /** The first virtual row among this many rows; their number if there is none. */
  int first(int rows) {
    return Math.min(first, rows);
  }

  boolean isVirtual(int row) {
    return row >= first || copied.get(row);
  }

  /** This row is a copy of a virtual one. */
  void copy(int row, boolean isRoot) {
    copied.set(row);
    roots.set(row, isRoot);
  }

  /** The row is the root of its trace. */
  void root(int row) {
    roots.set(row);
  }

  /** The row is a span that has not ended. */
  void open(int row) {
    open.set(row);
  }

  /** The rows of spans that have not ended. */
  BitSet open() {
    return open;
  }

  boolean isRoot(int row) {
    return roots.get(row);
  }

  void adopt(int span, int parent) {
    if (span >= above.length) {
      above = Arrays.copyOf(above, Math.max(1024, Math.max(2 * above.length, span + 1)));
    }
    above[span] = parent + 1;
  }

  /** The row above a span whose parent is missing, {@link SpanTree#UNKNOWN} for none. */
  int above(int span) {
    return span < above.length && above[span] != 0 ? above[span] - 1 : SpanTree.UNKNOWN;
  }
}
