package io.rollotel.traces.otlp;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HexFormat;

/** Numbers for trace ids, in the order in which they came first; about 40 bytes each. */
public final class TraceIds implements Serializable {

  private static final HexFormat HEX = HexFormat.of();

  private long[] highs = new long[64];
  private long[] lows = new long[64];
  private int size;

  /** Numbers plus one, by hash; 0 is a free place. */
  private int[] table = new int[128];

  /** Most spans belong to the same trace as the previous one. */
  private String lastId = "";

  private int lastNumber;

  /** The number of an id of 32 hex digits. */
  public int number(String id) {
    if (!id.equals(lastId)) {
      lastNumber = look(id);
      lastId = id;
    }
    return lastNumber;
  }

  private int look(String id) {
    long high = HexIds.toLong(id, 0);
    long low = HexIds.toLong(id, 16);
    int place = place(high, low);
    if (table[place] != 0) {
      return table[place] - 1;
    }
    if (size == highs.length) {
      highs = Arrays.copyOf(highs, 2 * size);
      lows = Arrays.copyOf(lows, 2 * size);
      table = new int[4 * size];
      for (int i = 0; i < size; i++) {
        table[place(highs[i], lows[i])] = i + 1;
      }
      place = place(high, low);
    }
    highs[size] = high;
    lows[size] = low;
    table[place] = ++size;
    return size - 1;
  }

  /** The number of an id, -1 if it never occurred. */
  public int find(String id) {
    long high = HexIds.toLong(id, 0);
    return table[place(high, HexIds.toLong(id, 16))] - 1;
  }

  private int place(long high, long low) {
    long hash = (high * 31 + low) * 0x9e3779b97f4a7c15L;
    int place = (int) (hash >>> 32) & (table.length - 1);
    while (table[place] != 0
        && (highs[table[place] - 1] != high || lows[table[place] - 1] != low)) {
      place = (place + 1) & (table.length - 1);
    }
    return place;
  }

  /** The id as 32 hex digits. */
  public String text(int number) {
    return HEX.toHexDigits(highs[number]) + HEX.toHexDigits(lows[number]);
  }

  /** Orders ids like their texts. */
  public int compare(int a, int b) {
    int order = Long.compareUnsigned(highs[a], highs[b]);
    return order != 0 ? order : Long.compareUnsigned(lows[a], lows[b]);
  }

  public int size() {
    return size;
  }
}
