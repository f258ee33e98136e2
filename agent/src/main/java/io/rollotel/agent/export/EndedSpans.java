package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.ReadableSpan;
import io.rollotel.agent.span.WorkerMethodSpan;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Ended spans in the order of their ends. Threads on many cores must not write to the same cache
 * line, so a thread adds to one of 16 stripes: a list with the newest span first. One thread at a
 * time collects the stripes and takes spans out.
 *
 * <p>The spans of a stripe are counted in blocks, because all threads share that number. Each span
 * knows how many its stripe has, so {@link #size} is exact nevertheless.
 */
class EndedSpans {

  /** The number of groups of threads that each have a list; a power of two. */
  private static final int STRIPES = 16;

  /** The distance at which no two share a cache line or adjacent ones. */
  private static final int STRIDE = 32;

  /** The size of a block, unless the queue is small. */
  private static final int MOST_OF_BLOCK = 32;

  /** The blocks that are begun at any time are at most this part of a batch, and of the queue. */
  private static final int SHARE = 4;

  private final AtomicReferenceArray<@Nullable Node> newest =
      new AtomicReferenceArray<>(STRIPES * STRIDE);

  /** The spans taken out of the stripes, and whole blocks for those in them. */
  private final AtomicInteger reserved = new AtomicInteger();

  private int block = MOST_OF_BLOCK;

  // The collected spans, from the oldest to the newest. Guarded by the caller.
  private @Nullable Node first;
  private @Nullable Node last;

  /** Removed, but still in the shared number, which must not change with each span. */
  private int removed;

  /**
   * Before the first span.
   *
   * @param capacity the number of spans that may wait at most
   * @param batchSize the number that is worth a request
   */
  void configure(int capacity, int batchSize) {
    int share = Math.min(capacity, batchSize) / (STRIPES * SHARE);
    block = Math.max(1, Math.min(MOST_OF_BLOCK, Integer.highestOneBit(share)));
  }

  /** The size of the blocks in which spans are counted. */
  int block() {
    return block;
  }

  /**
   * Adds a span.
   *
   * @return how many spans may wait now, if this one begins a block; otherwise 0
   */
  int add(ReadableSpan span) {
    int stripe = ((int) Thread.currentThread().getId() & (STRIPES - 1)) * STRIDE;
    Node node =
        span instanceof WorkerMethodSpan ? new Node(span) : new TimedNode(span, epochNanos());
    int waiting = 0;
    boolean isAdded = false;
    try {
      while (!isAdded) {
        Node below = newest.get(stripe);
        node.next = below;
        node.depth = below == null ? 1 : below.depth + 1;
        boolean isFirst = ((node.depth - 1) & (block - 1)) == 0;
        // Before the span is visible, so that the number is never too low.
        if (isFirst && waiting == 0) {
          waiting = reserved.addAndGet(block);
        } else if (!isFirst && waiting != 0) {
          reserved.addAndGet(-block);
          waiting = 0;
        }
        isAdded = newest.compareAndSet(stripe, below, node);
      }
    } finally {
      if (!isAdded && waiting != 0) { // no stack
        reserved.addAndGet(-block);
      }
    }
    return waiting;
  }

  /** Whether there are fewer. Counts whole blocks if they make at most an eighth of the limit. */
  boolean isBelow(int limit) {
    return reserved.get() < limit || (limit < STRIPES * 8 * block && size() < limit);
  }

  /** How many spans there are, apart from those that are being added. */
  int size() {
    int size = reserved.get();
    for (int i = 0; i < STRIPES; i++) {
      Node node = newest.get(i * STRIDE);
      if (node != null) {
        size -= inBlocks(node.depth) - node.depth;
      }
    }
    return size;
  }

  /** The oldest span. Like the rest, for one thread at a time. */
  @Nullable Node oldest() {
    return first;
  }

  /** Takes the oldest span out, which the caller has seen. */
  void removeOldest() {
    Node node = first;
    if (node != null) {
      first = node.next;
      if (first == null) {
        last = null;
      }
      node.next = null; // otherwise an old node would keep the newer ones in memory
      removed++;
      if (removed == block) {
        settle();
      }
    }
  }

  /**
   * Call it after the last {@link #removeOldest}: {@link #size} counts removed spans until then.
   */
  void settle() {
    reserved.addAndGet(-removed);
    removed = 0;
  }

  /** Makes the spans that were added so far visible to {@link #oldest}. Allocates nothing. */
  void collect() {
    Node all = null;
    for (int i = 0; i < STRIPES; i++) {
      if (newest.get(i * STRIDE) != null) {
        Node node = newest.getAndSet(i * STRIDE, null);
        if (node != null) {
          reserved.addAndGet(node.depth - inBlocks(node.depth));
          all = merged(all, reversed(node));
        }
      }
    }
    if (all == null) {
      return;
    }
    Node end = last;
    if (end == null) {
      first = all;
    } else {
      end.next = all;
    }
    while (all.next != null) {
      all = all.next;
    }
    last = all;
  }

  /** For tests, which control the time. */
  long epochNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  private int inBlocks(int spans) {
    return (spans + block - 1) & -block;
  }

  private static Node reversed(Node newestFirst) {
    Node done = null;
    Node node = newestFirst;
    while (true) {
      Node next = node.next;
      node.next = done;
      if (next == null) {
        return node;
      }
      done = node;
      node = next;
    }
  }

  /**
   * Merges by the ends of the spans: otherwise a span could wait until the recorder has overwritten
   * it. Only spans that are collected together are compared, so a clock that jumps delays none.
   */
  private static Node merged(@Nullable Node ones, Node others) {
    if (ones == null) {
      return others;
    }
    Node left = ones;
    Node right = others;
    if (right.endEpochNanos() < left.endEpochNanos()) {
      left = others;
      right = ones;
    }
    Node head = left;
    // The left list goes on to the end; whichever list is earlier becomes the left one.
    while (true) {
      Node next = left.next;
      if (next == null) {
        left.next = right;
        return head;
      }
      if (right.endEpochNanos() < next.endEpochNanos()) {
        Node earlier = right;
        left.next = earlier;
        right = next;
        left = earlier;
      } else {
        left = next;
      }
    }
  }

  /** A span in a list. */
  static class Node {

    final ReadableSpan span;

    private @Nullable Node next;

    /** The number of spans of its stripe up to this one. */
    private int depth;

    private Node(ReadableSpan span) {
      this.span = span;
    }

    /** The next one in the order of ends; null for the last. */
    @Nullable Node newer() {
      return next;
    }

    /** When the span ended. A worker's span knows it, so a number here would only cost memory. */
    long endEpochNanos() {
      return ((WorkerMethodSpan) span).endEpochNanos();
    }
  }

  /** Any other span. Its data would tell its end, but creating them needs memory. */
  private static final class TimedNode extends Node {

    private final long endEpochNanos;

    private TimedNode(ReadableSpan span, long endEpochNanos) {
      super(span);
      this.endEpochNanos = endEpochNanos;
    }

    @Override
    long endEpochNanos() {
      return endEpochNanos;
    }
  }
}
