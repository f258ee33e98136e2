package io.rollotel.traces.partition;

import java.util.concurrent.TimeUnit;

/**
 * Parameters that users do not set.
 *
 * @param leastUnitBytes how much a thread reads at least before its blocks are written, unless a
 *     file is compressed and small
 * @param heapBytes the memory for all blocks that are being written
 * @param manifestNanos from one manifest to the next
 */
record Tuning(
    int threads, long leastUnitBytes, long mostUnitBytes, long heapBytes, long manifestNanos) {

  /** The bytes of a thread for each partition; with less memory, there are fewer threads. */
  private static final int LEAST_BLOCK_BYTES = 16 << 10;

  private static final int HEAP_SHARE = 8;

  static Tuning of(int threads, int partitions) {
    return new Tuning(
            threads,
            32L << 20,
            512L << 20,
            Runtime.getRuntime().maxMemory() / HEAP_SHARE,
            TimeUnit.SECONDS.toNanos(10))
        .fitting(partitions);
  }

  /** With no more threads than there is memory for. */
  private Tuning fitting(int partitions) {
    long most = heapBytes / ((long) partitions * LEAST_BLOCK_BYTES);
    return new Tuning(
        (int) Math.max(1, Math.min(threads, most)),
        leastUnitBytes,
        mostUnitBytes,
        heapBytes,
        manifestNanos);
  }

  /** Of one thread; the blocks' arrays may be twice as long. */
  int budgetBytes(int partitions) {
    long budget = heapBytes / threads / 2;
    return (int) Math.min(1 << 30, Math.max(budget, (long) partitions * 1024));
  }
}
