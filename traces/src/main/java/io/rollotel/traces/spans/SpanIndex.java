package io.rollotel.traces.spans;

/**
 * Finds spans by their trace and id; of several with one id, the last. Spans of a trace are
 * adjacent, since they look for each other.
 */
final class SpanIndex {

  private final Spans spans;

  /** The span plus one; 0 is a free place. */
  private final int[] table;

  /** The start of each trace's places, and at last their end. */
  private final int[] starts;

  SpanIndex(Spans spans) {
    this.spans = spans;
    int n = spans.size();
    int[] counts = new int[spans.traces()];
    for (int i = 0; i < n; i++) {
      counts[spans.trace(i)]++;
    }
    this.starts = new int[counts.length + 1];
    for (int trace = 0; trace < counts.length; trace++) {
      int places = Integer.highestOneBit(Math.max(counts[trace], 1)) * 4;
      starts[trace + 1] = starts[trace] + places;
    }
    this.table = new int[starts[counts.length]];
    for (int i = 0; i < n; i++) {
      table[place(spans.trace(i), spans.id(i))] = i + 1;
    }
  }

  /** The span's number, {@link SpanTree#UNKNOWN} if there is none. */
  int find(int trace, long id) {
    int at = table[place(trace, id)];
    return at == 0 ? SpanTree.UNKNOWN : at - 1;
  }

  /** The parent of each span, {@link SpanTree#NONE} or {@link SpanTree#UNKNOWN}. */
  int[] parents() {
    int[] found = new int[spans.size()];
    for (int i = 0; i < found.length; i++) {
      long id = spans.parentId(i);
      found[i] = id == 0 ? SpanTree.NONE : find(spans.trace(i), id);
    }
    return found;
  }

  private int place(int trace, long id) {
    int start = starts[trace];
    int last = starts[trace + 1] - start - 1; // of a power of two
    int place = (int) ((id * 0x9e3779b97f4a7c15L) >>> 32) & last;
    while (table[start + place] != 0 && spans.id(table[start + place] - 1) != id) {
      place = (place + 1) & last;
    }
    return start + place;
  }
}
