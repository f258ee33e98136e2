package io.rollotel.traces.file;

import io.rollotel.traces.otlp.LineParser;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parsers of lines for several threads: those of the JVM's common pool, and the reader's own. Each
 * parser is used by one thread at a time, and knows earlier lines.
 */
final class LineParsers {

  /** Taking a block's spans costs a third of parsing it, so the reader has no use for more. */
  private static final int MAX_THREADS = 3;

  /** They take tenths of a second, in which the JVM's compilers need the other processors. */
  private static final int FIRST_BLOCKS = 16;

  /** What is read ahead takes up to 30 MiB. */
  private static final long LEAST_HEAP_BYTES = 1 << 30;

  private final @Nullable Set<String> attributes;
  private final int threads;
  private final int firstBlocks;
  private final Queue<LineParser> free = new ConcurrentLinkedQueue<>();
  private int blocks;

  /**
   * No parsers yet; each is made when a thread needs one.
   *
   * @param attributes as for {@link LineParser#LineParser}
   * @param threads how many other threads are used at once
   * @param firstBlocks how many blocks the reader's thread parses alone
   */
  LineParsers(@Nullable Set<String> attributes, int threads, int firstBlocks) {
    this.attributes = attributes;
    this.threads = threads;
    this.firstBlocks = firstBlocks;
  }

  /** The same for this machine; null if it has one processor, or the heap is small. */
  static @Nullable LineParsers ofThisMachine(@Nullable Set<String> attributes) {
    int others = Runtime.getRuntime().availableProcessors() - 1;
    int pool = ForkJoinPool.getCommonPoolParallelism(); // the user may have set it
    int threads = Math.min(Math.min(others, pool), MAX_THREADS);
    boolean isHeapSmall = Runtime.getRuntime().maxMemory() < LEAST_HEAP_BYTES;
    return threads <= 0 || isHeapSmall ? null : new LineParsers(attributes, threads, FIRST_BLOCKS);
  }

  /** How many blocks are read before the first of them is needed. */
  int blocksAhead() {
    return threads + 2;
  }

  /** Has another thread parse a block, unless it is one of the first. */
  void parse(ParsedBlock block) {
    if (blocks++ >= firstBlocks) {
      ForkJoinPool.commonPool().execute(block::parse);
    }
  }

  /** Gives work a parser. */
  <T> T with(Function<LineParser, T> work) {
    LineParser taken = free.poll();
    LineParser parser = taken == null ? new LineParser(attributes) : taken;
    try {
      return work.apply(parser);
    } finally {
      free.add(parser);
    }
  }
}
