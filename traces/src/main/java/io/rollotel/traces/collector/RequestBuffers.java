package io.rollotel.traces.collector;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Arrays that requests are read into, used again and again: with one made for each request the JVM
 * lets its heap grow as far as it may. Safe for use by several threads.
 */
final class RequestBuffers {

  private static final int MAX_KEPT = 4;
  private static final int MIN_BYTES = 64 << 10;
  private static final int LARGEST_STEP_BYTES = 8 << 20;

  /** Of all that are kept: two of the largest requests by default, as many as are translated. */
  private static final int MAX_KEPT_BYTES = 40 << 20;

  // Guarded by itself.
  private final ArrayDeque<byte[]> free = new ArrayDeque<>();
  private int freeBytes;

  /** Gives an array of this size at least; what is in it is left over from another request. */
  byte[] take(int bytes) {
    synchronized (free) {
      for (Iterator<byte[]> all = free.iterator(); all.hasNext(); ) {
        byte[] buffer = all.next();
        if (buffer.length >= bytes) {
          all.remove();
          freeBytes -= buffer.length;
          return buffer;
        }
      }
    }
    // Requests are of all sizes: by steps, one buffer does for most of them.
    int step = Integer.highestOneBit(Math.max(bytes - 1, MIN_BYTES - 1)) << 1;
    return new byte[bytes <= LARGEST_STEP_BYTES ? step : bytes];
  }

  /** Takes an array back that nobody reads or writes any more. */
  void giveBack(byte[] buffer) {
    if (buffer.length > MAX_KEPT_BYTES) {
      return;
    }
    synchronized (free) {
      while (free.size() == MAX_KEPT || freeBytes + buffer.length > MAX_KEPT_BYTES) {
        freeBytes -= free.removeLast().length; // perhaps too small to be of use
      }
      free.addFirst(buffer);
      freeBytes += buffer.length;
    }
  }
}
