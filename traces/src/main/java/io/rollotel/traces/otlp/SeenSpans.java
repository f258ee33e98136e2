package io.rollotel.traces.otlp;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the spans that a reader has seen: 36 to 72 bytes for a trace with its first span, and
 * 16 to 32 for each further one, so millions fit.
 *
 * <p>It has a table for each trace: spans of a trace come together, and a single table would cause
 * a cache miss for each of them.
 */
public final class SeenSpans {

  /** Places for ids, at most half of them used. One more place holds the number of ids. */
  private static final int FEWEST = 4;

  private TraceIds traces = new TraceIds();

  /** By trace, its only span so far; 0 if it has none, or a table. */
  private long[] only = new long[64];

  /**
   * By trace, once it has two spans: ids by hash, 0 for a free place. The last element is their
   * number.
   */
  private long[] @Nullable [] tables = new long[64][];

  /** The traces that have a span with the invalid id, which is all zeros. */
  private BitSet withZero = new BitSet();

  private final long most;
  private long added;

  /** The earlier ones, if there were more than the maximum. */
  private @Nullable SeenSpans earlier;

  /** Remembers all. */
  public SeenSpans() {
    this(Long.MAX_VALUE);
  }

  /** Remembers this many of the last spans, and up to as many before them. */
  public SeenSpans(long most) {
    this.most = most;
  }

  /** Adds a span; false if it is already there. Ids are hex of full length. */
  public boolean add(String traceId, String spanId) {
    if (earlier != null && earlier.contains(traceId, spanId)) {
      return false;
    }
    boolean isNew = addNew(traceId, spanId);
    if (isNew && ++added == most) {
      becomeEarlier();
    }
    return isNew;
  }

  private void becomeEarlier() {
    SeenSpans full = new SeenSpans();
    full.traces = traces;
    full.only = only;
    full.tables = tables;
    full.withZero = withZero;
    earlier = full;
    traces = new TraceIds();
    only = new long[64];
    tables = new long[64][];
    withZero = new BitSet();
    added = 0;
  }

  private boolean addNew(String traceId, String spanId) {
    int trace = traces.number(traceId);
    long span = HexIds.toLong(spanId);
    if (span == 0) {
      boolean isNew = !withZero.get(trace);
      withZero.set(trace);
      return isNew;
    }
    if (trace >= only.length) {
      only = Arrays.copyOf(only, 2 * trace);
      tables = Arrays.copyOf(tables, 2 * trace);
    }
    long[] table = tables[trace];
    if (table == null) {
      if (only[trace] == span) {
        return false;
      }
      if (only[trace] == 0) {
        only[trace] = span;
        return true;
      }
      table = new long[FEWEST + 1];
      put(table, only[trace]);
      only[trace] = 0;
      tables[trace] = table;
    }
    if (!put(table, span)) {
      return false;
    }
    if (table[places(table)] > places(table) / 2) {
      tables[trace] = grown(table);
    }
    return true;
  }

  public boolean contains(String traceId, String spanId) {
    if (earlier != null && earlier.contains(traceId, spanId)) {
      return true;
    }
    int trace = traces.find(traceId);
    if (trace < 0) {
      return false;
    }
    long span = HexIds.toLong(spanId);
    if (span == 0) {
      return withZero.get(trace);
    }
    if (trace >= only.length) {
      return false;
    }
    long[] table = tables[trace];
    return table == null ? only[trace] == span : table[place(table, span)] == span;
  }

  /** Removes a span, if it is there. */
  void remove(String traceId, String spanId) {
    if (earlier != null) {
      earlier.remove(traceId, spanId);
    }
    int trace = traces.find(traceId);
    if (trace < 0) {
      return;
    }
    long span = HexIds.toLong(spanId);
    if (span == 0) {
      withZero.clear(trace);
    } else if (trace < only.length) {
      long[] table = tables[trace];
      if (table != null) {
        take(table, span);
      } else if (only[trace] == span) {
        only[trace] = 0;
      }
    }
  }

  private static int places(long[] table) {
    return table.length - 1;
  }

  /** Whether it was not there. */
  private static boolean put(long[] table, long span) {
    int place = place(table, span);
    if (table[place] == span) {
      return false;
    }
    table[place] = span;
    table[places(table)]++;
    return true;
  }

  /** Later entries move up, so that they are found as if the span had never been there. */
  private static void take(long[] table, long span) {
    int free = place(table, span);
    if (table[free] == 0) {
      return;
    }
    int mask = places(table) - 1;
    table[free] = 0;
    table[places(table)]--;
    for (int i = (free + 1) & mask; table[i] != 0; i = (i + 1) & mask) {
      long moved = table[i];
      table[i] = 0;
      table[place(table, moved)] = moved;
    }
  }

  private static long[] grown(long[] table) {
    long[] grown = new long[Math.multiplyExact(places(table), 2) + 1];
    for (int i = 0; i < places(table); i++) {
      if (table[i] != 0) {
        put(grown, table[i]);
      }
    }
    return grown;
  }

  /** The place of the id, or the free place where it belongs. */
  private static int place(long[] table, long span) {
    int mask = places(table) - 1;
    int place = (int) ((span * 0x9e3779b97f4a7c15L) >>> 32) & mask;
    while (table[place] != span && table[place] != 0) {
      place = (place + 1) & mask;
    }
    return place;
  }
}
