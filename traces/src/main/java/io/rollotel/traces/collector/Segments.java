package io.rollotel.traces.collector;

import java.util.ArrayDeque;

/**
 * Arrays of one size, used again and again: with one made for each request, as large as the request
 * is, the JVM lets its heap grow as far as it may. Safe for use by several threads.
 */
final class Segments {

  /** Of one. Small enough for the garbage collectors not to treat it as something special. */
  static final int BYTES = 32 << 10;

  private final int maxKept;
  private final ArrayDeque<byte[]> free = new ArrayDeque<>(); // guarded by itself

  /**
   * @param maxKeptBytes of those that nobody uses
   */
  Segments(long maxKeptBytes) {
    maxKept = (int) Math.min(maxKeptBytes / BYTES, Integer.MAX_VALUE);
  }

  /** Gives one; what is in it is left over from another request. */
  byte[] take() {
    synchronized (free) {
      byte[] segment = free.poll();
      return segment == null ? new byte[BYTES] : segment;
    }
  }

  /** Takes those back that nobody reads or writes any more. */
  void giveBack(Iterable<byte[]> segments) {
    synchronized (free) {
      for (byte[] segment : segments) {
        if (free.size() < maxKept) {
          free.push(segment);
        }
      }
    }
  }
}
