package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that one thread is writing, one for each partition. They take at most twice the
 * budget, plus the spans of one line.
 */
final class PartitionWriter implements AutoCloseable {

  /** A block of this length is written. */
  private static final int MOST_BLOCK = 512 << 10;

  private static final int MOST_KEPT = 1 << 20;

  private final PartitionFiles files;
  private final ResourceTable resources;
  private final int budget;
  private final @Nullable BlockWriter[] blocks;
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
  private final Bytes block = new Bytes(MOST_KEPT);
  private final Bytes deflated = new Bytes(MOST_KEPT);

  /** The length of all blocks. */
  private long pending;

  PartitionWriter(PartitionFiles files, int count, ResourceTable resources, int budget) {
    this.files = files;
    this.resources = resources;
    this.budget = budget;
    this.blocks = new BlockWriter[count];
  }

  void add(int file, Span span, int source, long offset) throws IOException {
    BlockWriter writer = blocks[file];
    if (writer == null) {
      writer = new BlockWriter(resources);
      blocks[file] = writer;
    }
    int before = writer.length();
    writer.add(span, source, offset);
    int length = writer.length();
    pending += length - before;
    if (length >= MOST_BLOCK) {
      write(file, writer);
    } else if (pending >= budget) {
      flush();
    }
  }

  /** Writes all blocks, whatever their length. */
  void flush() throws IOException {
    for (int file = 0; file < blocks.length; file++) {
      BlockWriter writer = blocks[file];
      if (writer != null && !writer.isEmpty()) {
        write(file, writer);
      }
    }
  }

  private void write(int file, BlockWriter writer) throws IOException {
    pending -= writer.length();
    block.clear();
    writer.finish(block, deflater, deflated);
    files.append(file, block);
  }

  @Override
  public void close() {
    deflater.end();
  }
}
