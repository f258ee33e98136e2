package io.rollotel.spark;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.partition.SpanBlocks;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** The blocks that a task writes, one for each partition, and the finished ones. For one thread. */
final class BlockQueue implements AutoCloseable {

  /** A block of this length is ready. */
  private static final int MOST_BLOCK = 512 << 10;

  /** If all blocks together reach this size, all are ready. */
  private static final int MOST_PENDING = 48 << 20;

  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
  private final SpanBlocks.@Nullable Writer[] writers;
  private final Queue<Tuple2<Integer, byte[]>> ready = new ArrayDeque<>();
  private long pending;

  BlockQueue(int partitions) {
    this.writers = new SpanBlocks.Writer[partitions];
  }

  void add(int partition, Span span, int source, long offset) {
    SpanBlocks.Writer writer = writers[partition];
    if (writer == null) {
      writer = new SpanBlocks.Writer(deflater);
      writers[partition] = writer;
    }
    int before = writer.length();
    writer.add(span, source, offset);
    int length = writer.length();
    pending += length - before;
    if (length >= MOST_BLOCK) {
      take(partition, writer);
    } else if (pending >= MOST_PENDING) {
      flush();
    }
  }

  /** Makes all blocks ready. */
  void flush() {
    for (int i = 0; i < writers.length; i++) {
      SpanBlocks.Writer writer = writers[i];
      if (writer != null && !writer.isEmpty()) {
        take(i, writer);
      }
    }
  }

  private void take(int partition, SpanBlocks.Writer writer) {
    pending -= writer.length();
    ready.add(new Tuple2<>(partition, writer.take()));
  }

  /** Adds something else that is ready. */
  void add(int partition, byte[] bytes) {
    ready.add(new Tuple2<>(partition, bytes));
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  /** The next that is ready. */
  Tuple2<Integer, byte[]> remove() {
    return ready.remove();
  }

  @Override
  public void close() {
    deflater.end();
  }
}
