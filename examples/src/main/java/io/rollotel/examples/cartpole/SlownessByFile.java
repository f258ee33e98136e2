package io.rollotel.examples.cartpole;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Writes a file for as long again as the call has taken. Its blocks are large, so that each takes
 * long enough to be seen. Time that is too short for a block is carried over to a later call.
 */
final class SlownessByFile implements Slowness {
  private static final int BLOCK_BYTES = 16 << 20;

  private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);

  /**
   * The same in each call, since the report sums up by path. No other process can have created it
   * before.
   */
  private final Path file =
      Path.of(System.getProperty("java.io.tmpdir"), "checkpoint-" + UUID.randomUUID());

  /** How long calls have taken, less how long writing took. */
  private long owedNanos;

  private long blockNanos = 1_000_000;

  @Override
  public synchronized void prolong(long tookNanos) {
    owedNanos += tookNanos;
    if (owedNanos < blockNanos) {
      return;
    }
    long start = System.nanoTime();
    try {
      int blocks = writeCheckpoint(start + owedNanos);
      long nanos = System.nanoTime() - start;
      blockNanos = nanos / blocks;
      owedNanos -= nanos;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how many blocks it has written. */
  private int writeCheckpoint(long until) throws IOException {
    int blocks = 0;
    try (FileChannel channel = FileChannel.open(file, WRITE, CREATE_NEW, DELETE_ON_CLOSE)) {
      do {
        block.clear();
        while (block.hasRemaining()) {
          channel.write(block, block.position());
        }
        channel.force(false);
        blocks++;
      } while (until - System.nanoTime() > 0);
    }
    return blocks;
  }
}
