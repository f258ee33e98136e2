package io.rollotel.traces.partition;

import io.rollotel.traces.file.ReadProgress;
import java.util.function.Consumer;

/**
 * How a cache is built.
 *
 * @param partitions a power of two; 0 to choose by the files' sizes
 * @param threads how many parse concurrently
 * @param progress receives how much of the files has been read, from one thread at a time
 * @param notes receives a line for the user if the cache is rebuilt
 */
public record PartitionOptions(
    int partitions, int threads, ReadProgress progress, Consumer<String> notes) {

  /** The fewest and the most partitions that are chosen. */
  public static final int FEWEST = 16;

  public static final int MOST = 4096;

  /** The number of spans of a partition for which the number of partitions is chosen. */
  public static final int SPANS = 500_000;

  /** The factor by which partitions may grow, if the heap is large. */
  private static final int MOST_GROWTH = 4;

  /** What a span takes in memory, roughly. */
  private static final long HEAP_BYTES = 450;

  /** What a span takes in a file, roughly. */
  static final int SPAN_BYTES = 450;

  /** How much gzip makes of a file of spans, roughly. */
  static final int GZIP_RATIO = 12;

  /** As many partitions as are needed, and a thread for each processor. */
  public static PartitionOptions defaults() {
    return new PartitionOptions(
        0, Runtime.getRuntime().availableProcessors(), (bytes, ofBytes) -> {}, note -> {});
  }

  public PartitionOptions {
    if (partitions != 0 && (Integer.bitCount(partitions) != 1 || partitions > MOST)) {
      throw new IllegalArgumentException(
          "the number of partitions has to be a power of two up to " + MOST);
    }
    if (threads < 1) {
      throw new IllegalArgumentException("the number of threads has to be 1 or more");
    }
  }

  public PartitionOptions withPartitions(int number) {
    return new PartitionOptions(number, threads, progress, notes);
  }

  public PartitionOptions withThreads(int number) {
    return new PartitionOptions(partitions, number, progress, notes);
  }

  public PartitionOptions withProgress(ReadProgress to) {
    return new PartitionOptions(partitions, threads, to, notes);
  }

  public PartitionOptions withNotes(Consumer<String> to) {
    return new PartitionOptions(partitions, threads, progress, to);
  }

  /** The number of partitions for this many spans: a power of two. */
  public static int partitionsFor(long spans) {
    // A few of them are in memory at once.
    long most = Math.min(SPANS, ofHeap(0.2));
    int number = FEWEST;
    while (number < MOST && spans > number * most) {
      number *= 2;
    }
    return number;
  }

  /**
   * Whether partitions have become so large that the cache is rebuilt: one of them alone must leave
   * more than half of the heap, whatever heap they were made for.
   */
  static boolean areTooFew(int partitions, long spans) {
    long most = Math.min((long) SPANS * MOST_GROWTH, ofHeap(0.4));
    return partitions < MOST && spans > partitions * most;
  }

  /** How many spans fit into a share of the heap. */
  private static long ofHeap(double share) {
    return (long) (share * Runtime.getRuntime().maxMemory()) / HEAP_BYTES;
  }
}
