package io.rollotel.traces.otlp;

import java.util.HexFormat;

/**
 * The ids of the spans that a reader has seen. A large table is a quarter to a half full: 48 to 96
 * bytes for each span, so millions fit.
 */
public final class SeenSpans {

  private static final int LONGS = 3;

  private long[] table = new long[LONGS << 10];
  private int size;

  // An empty place of the table is all zeros, and so is the invalid id.
  private boolean hasZero;

  /** Most spans are of the trace of the one before. */
  private String lastTraceId = "";

  private long high;
  private long low;

  /** Adds a span; false where it is in already. Ids are hex of full length. */
  public boolean add(String traceId, String spanId) {
    see(traceId);
    long span = HexFormat.fromHexDigitsToLong(spanId);
    if ((high | low | span) == 0) {
      boolean isNew = !hasZero;
      hasZero = true;
      return isNew;
    }
    int place = place(table, high, low, span);
    if (!isFree(table, place)) {
      return false;
    }
    put(table, place, high, low, span);
    if (++size > table.length / LONGS / 2) {
      grow();
    }
    return true;
  }

  public boolean contains(String traceId, String spanId) {
    see(traceId);
    long span = HexFormat.fromHexDigitsToLong(spanId);
    return (high | low | span) == 0 ? hasZero : !isFree(table, place(table, high, low, span));
  }

  private void see(String traceId) {
    if (!traceId.equals(lastTraceId)) {
      high = HexFormat.fromHexDigitsToLong(traceId, 0, 16);
      low = HexFormat.fromHexDigitsToLong(traceId, 16, 32);
      lastTraceId = traceId;
    }
  }

  private void grow() {
    long[] grown = new long[Math.multiplyExact(table.length, 2)];
    for (int i = 0; i < table.length; i += LONGS) {
      if (!isFree(table, i)) {
        int place = place(grown, table[i], table[i + 1], table[i + 2]);
        put(grown, place, table[i], table[i + 1], table[i + 2]);
      }
    }
    table = grown;
  }

  /** Where the id is, or the free place where it belongs. */
  private static int place(long[] table, long high, long low, long span) {
    int places = table.length / LONGS; // a power of two
    long hash = ((high * 31 + low) * 31 + span) * 0x9e3779b97f4a7c15L;
    int place = (int) (hash >>> 32) & (places - 1);
    while (true) {
      int at = place * LONGS;
      if (isFree(table, at)
          || (table[at] == high && table[at + 1] == low && table[at + 2] == span)) {
        return at;
      }
      place = (place + 1) & (places - 1);
    }
  }

  private static boolean isFree(long[] table, int at) {
    return (table[at] | table[at + 1] | table[at + 2]) == 0;
  }

  private static void put(long[] table, int at, long high, long low, long span) {
    table[at] = high;
    table[at + 1] = low;
    table[at + 2] = span;
  }
}
