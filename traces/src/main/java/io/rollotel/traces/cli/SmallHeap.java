package io.rollotel.traces.cli;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Keeps the heap of a command small: the user starts it with {@code java -jar}, without options.
 * Only for the JVM of a roll-otel command, never an application's. On another JVM than HotSpot it
 * has no effect.
 */
final class SmallHeap {

  /** The garbage collector would mark a smaller heap all the time. */
  private static final long LEAST_BYTES = 48 << 20;

  private static final int LEAST_FREE_PERCENT = 20;

  private static final long PAUSE_MILLIS = 50;

  /** So shrinking takes a fifth of the time at most, unless the heap doubles in between. */
  private static final int PAUSES_FOR_EACH_CUT = 4;

  /** If more attempts in a row have no effect, the JVM cannot shrink the heap. */
  private static final int MOST_REPEATS = 20;

  private SmallHeap() {}

  /** Shrinks the heap, on a daemon thread: now, and whenever it has grown by a quarter. */
  static void start() {
    Thread keeper = new Thread(SmallHeap::keep, "roll-otel-heap");
    keeper.setDaemon(true);
    keeper.start();
  }

  private static void keep() {
    try {
      long cutBytes = LEAST_BYTES; // the size after the last successful attempt
      long lastBytes = 0; // the size after the last attempt
      int failures = 0;
      long nextNanos = System.nanoTime();
      while (true) {
        long bytes = Runtime.getRuntime().totalMemory();
        long startNanos = System.nanoTime();
        boolean isDue = startNanos - nextNanos >= 0 || bytes > 2 * lastBytes;
        if (bytes > cutBytes * 5 / 4 && isDue) {
          lastBytes = cutHeap();
          // The JVM ignores a request while a JNI call has an array locked.
          failures = lastBytes < bytes ? 0 : failures + 1;
          if (failures == 0 || failures > MOST_REPEATS) {
            cutBytes = Math.max(lastBytes, LEAST_BYTES);
            failures = 0;
          }
          long endNanos = System.nanoTime();
          nextNanos = endNanos + PAUSES_FOR_EACH_CUT * (endNanos - startNanos);
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException | RuntimeException | LinkageError e) {
      // The collector works as well, but takes more memory.
    }
  }

  /**
   * Collects garbage and shrinks the heap to a third more than is in use, but not below {@link
   * #LEAST_BYTES}; returns the heap's size.
   */
  private static long cutHeap() {
    // More than the live objects, but a collection only to measure them would cost too much.
    long used = Math.min(usedBytes(), LEAST_BYTES);
    long before = Runtime.getRuntime().totalMemory();
    collect(LEAST_FREE_PERCENT, freePercent(used, Math.max(LEAST_BYTES, used + used / 3)));
    long after = Runtime.getRuntime().totalMemory();
    if (after < before && after < LEAST_BYTES / 4 * 3) {
      // Less is alive. With less room, G1 would collect all the time, and then triple the heap at
      // once.
      int free = freePercent(usedBytes(), LEAST_BYTES);
      collect(free, free);
      after = Runtime.getRuntime().totalMemory();
    }
    return after;
  }

  private static long usedBytes() {
    Runtime jvm = Runtime.getRuntime();
    return jvm.totalMemory() - jvm.freeMemory();
  }

  private static int freePercent(long used, long heap) {
    return (int) Math.max(LEAST_FREE_PERCENT, 100 - 100 * used / heap);
  }

  /** Makes the JVM collect garbage, and keep this much of the heap free. */
  private static void collect(int leastFreePercent, int mostFreePercent) {
    HotSpotDiagnosticMXBean hotSpot =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    hotSpot.setVMOption("MinHeapFreeRatio", Integer.toString(LEAST_FREE_PERCENT));
    hotSpot.setVMOption("MaxHeapFreeRatio", Integer.toString(mostFreePercent));
    hotSpot.setVMOption("MinHeapFreeRatio", Integer.toString(leastFreePercent));
    System.gc();
    // Later collections, with more alive, would grow the heap many times over to keep so much free.
    hotSpot.setVMOption("MinHeapFreeRatio", Integer.toString(LEAST_FREE_PERCENT));
  }
}
