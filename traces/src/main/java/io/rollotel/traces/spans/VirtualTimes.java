package io.rollotel.traces.spans;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The times of {@link Spans#isVirtual virtual} rows, which extend over the spans below them. They
 * are set last, after the times of the spans from the files have been corrected.
 */
public final class VirtualTimes {

  private static final int NOT_SEEN = -3;

  private final Spans spans;

  /** Rows of spans from the files; the virtual ones follow. */
  private final int read;

  /** Rows of spans that have not ended; they have their own start. */
  private final BitSet isOpen;

  private VirtualTimes(Spans spans) {
    this.spans = spans;
    this.read = spans.virtual().first(spans.size());
    this.isOpen = spans.virtual().open();
  }

  /** Stretches all of them, and shortens {@link UnendedRuns}, which may be below them. */
  public static void stretch(Spans spans) {
    UnendedRuns.shorten(spans);
    VirtualTimes times = new VirtualTimes(spans);
    if (times.read < spans.size()) {
      times.stretch();
    }
  }

  private void stretch() {
    if (!isOpen.isEmpty()) {
      stretchOpen();
    }
    int rows = spans.size() - read;
    for (int row = 0; row < spans.size(); row++) {
      long end = row < read || isOpen.get(row) ? spans.end(row) : spans.start(row);
      int at = spans.isTimed(row) ? spans.virtual().above(row) : SpanTree.UNKNOWN;
      // Open ones have their own times. Damaged files may contain cycles.
      for (int i = 0; at >= read && !isOpen.get(at) && i < rows; i++) {
        spans.stretch(at, spans.start(row), end);
        at = spans.virtual().above(at);
      }
    }
  }

  /** A span that has not ended still ran when its descendants ended, at any depth. */
  private void stretchOpen() {
    int[] nearest = nearestOpen();
    for (int row = 0; row < read; row++) {
      if (nearest[row] >= 0 && spans.isTimed(row)) {
        stretchOpen(nearest[row], row);
      }
    }
    for (int row = isOpen.nextSetBit(0); row >= 0; row = isOpen.nextSetBit(row + 1)) {
      int at = spans.isTimed(row) ? nearest[row] : SpanTree.NONE;
      for (int i = isOpen.cardinality(); at >= 0 && i > 0; i--) {
        stretchOpen(at, row);
        at = nearest[at];
      }
    }
  }

  /** Its recorder states when it began, if that is known. */
  private void stretchOpen(int span, int below) {
    int from = spans.isTimed(span) ? span : below;
    spans.stretch(span, spans.start(from), spans.end(below));
  }

  /** The nearest ancestor of each row that has not ended, or a negative number. */
  private int[] nearestOpen() {
    int[] nearest = new int[spans.size()];
    int[] way = new int[64];
    Arrays.fill(nearest, NOT_SEEN);
    for (int row = 0; row < nearest.length; row++) {
      int length = 0;
      for (int at = row; at >= 0 && nearest[at] == NOT_SEEN; at = above(at)) {
        nearest[at] = SpanTree.NONE; // this value stays for a row that is its own ancestor
        way = length == way.length ? Arrays.copyOf(way, 2 * length) : way;
        way[length++] = at;
      }
      while (length > 0) {
        int at = way[--length];
        int above = above(at);
        nearest[at] = above < 0 || isOpen.get(above) ? above : nearest[above];
      }
    }
    return nearest;
  }

  private int above(int row) {
    int[] parents = spans.virtual().parents();
    int parent = parents == null || row >= read ? SpanTree.UNKNOWN : parents[row];
    return parent == SpanTree.UNKNOWN ? spans.virtual().above(row) : parent;
  }
}
