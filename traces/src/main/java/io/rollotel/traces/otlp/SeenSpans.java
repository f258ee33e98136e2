package io.rollotel.traces.otlp;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The ids of the spans that a reader has seen: 16 to 32 bytes for each, and some 100 for a trace,
 * so millions fit.
 *
 * <p>A table for each trace: spans of a trace come together, and one table for all would have each
 * of them wait for memory that nothing else has looked at.
 */
public final class SeenSpans {

  private static final int FEWEST = 4;

  private final TraceIds traces = new TraceIds();

  /** By trace: ids by hash, 0 for a free place. A table is at most half full. */
  private long[][] tables = new long[64][];

  private int[] counts = new int[64];

  /** The traces that have a span with the invalid id, which is all zeros. */
  private final BitSet withZero = new BitSet();

  /** Adds a span; false where it is in already. Ids are hex of full length. */
  public boolean add(String traceId, String spanId) {
    int trace = traces.number(traceId);
    long span = HexIds.toLong(spanId);
    if (span == 0) {
      boolean isNew = !withZero.get(trace);
      withZero.set(trace);
      return isNew;
    }
    long[] table = table(trace);
    int place = place(table, span);
    if (table[place] == span) {
      return false;
    }
    table[place] = span;
    if (++counts[trace] > table.length / 2) {
      tables[trace] = grown(table);
    }
    return true;
  }

  public boolean contains(String traceId, String spanId) {
    int trace = traces.find(traceId);
    if (trace < 0) {
      return false;
    }
    long span = HexIds.toLong(spanId);
    if (span == 0) {
      return withZero.get(trace);
    }
    long[] table = table(trace);
    return table[place(table, span)] == span;
  }

  private long[] table(int trace) {
    if (trace >= tables.length) {
      tables = Arrays.copyOf(tables, 2 * trace);
      counts = Arrays.copyOf(counts, 2 * trace);
    }
    long[] table = tables[trace];
    if (table == null) {
      table = new long[FEWEST];
      tables[trace] = table;
    }
    return table;
  }

  private static long[] grown(long[] table) {
    long[] grown = new long[Math.multiplyExact(table.length, 2)];
    for (long span : table) {
      if (span != 0) {
        grown[place(grown, span)] = span;
      }
    }
    return grown;
  }

  /** Where the id is, or the free place where it belongs. */
  private static int place(long[] table, long span) {
    int place = (int) ((span * 0x9e3779b97f4a7c15L) >>> 32) & (table.length - 1);
    while (table[place] != span && table[place] != 0) {
      place = (place + 1) & (table.length - 1);
    }
    return place;
  }
}
