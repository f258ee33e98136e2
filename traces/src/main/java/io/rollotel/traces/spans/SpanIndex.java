package io.rollotel.traces.spans;

/** Finds spans by their trace and id; of several of one id the last. */
final class SpanIndex {

  private final Spans spans;

  /** One more than the span: 0 is a free place. */
  private final int[] table;

  SpanIndex(Spans spans) {
    this.spans = spans;
    int n = spans.size();
    this.table = new int[Integer.highestOneBit(Math.max(n, 1)) * 4];
    for (int i = 0; i < n; i++) {
      table[place(spans.trace(i), spans.id(i))] = i + 1;
    }
  }

  /** The span's number, {@link SpanTree#UNKNOWN} where there is none. */
  int find(int trace, long id) {
    int at = table[place(trace, id)];
    return at == 0 ? SpanTree.UNKNOWN : at - 1;
  }

  /** For each span its parent, {@link SpanTree#NONE} or {@link SpanTree#UNKNOWN}. */
  int[] parents() {
    int[] found = new int[spans.size()];
    for (int i = 0; i < found.length; i++) {
      long id = spans.parentId(i);
      found[i] = id == 0 ? SpanTree.NONE : find(spans.trace(i), id);
    }
    return found;
  }

  private int place(int trace, long id) {
    long hash = (id * 31 + trace) * 0x9e3779b97f4a7c15L;
    int place = (int) (hash >>> 32) & (table.length - 1);
    while (table[place] != 0
        && (spans.id(table[place] - 1) != id || spans.trace(table[place] - 1) != trace)) {
      place = (place + 1) & (table.length - 1);
    }
    return place;
  }
}
