package io.rollotel.traces.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a file, which other threads parse before their turn. One thread reads the file and
 * takes the blocks; instead of waiting for another thread, it parses blocks as well.
 */
final class BlocksAhead {

  private static final int BLOCK_BYTES = 1 << 20;

  private final InputStream in;
  private final LineParsers parsers;
  private final int blockBytes;
  private final Deque<ParsedBlock> ahead = new ArrayDeque<>();
  private final Deque<byte[]> free = new ArrayDeque<>();

  /** The beginning of a line. */
  private byte[] rest = {};

  private @Nullable ParsedBlock current;
  private boolean isAtEnd;
  private @Nullable IOException failure;

  BlocksAhead(InputStream in, LineParsers parsers) {
    this(in, parsers, BLOCK_BYTES);
  }

  BlocksAhead(InputStream in, LineParsers parsers, int blockBytes) {
    this.in = in;
    this.parsers = parsers;
    this.blockBytes = blockBytes;
  }

  /**
   * The next block, which a thread has parsed or is parsing; null at the end of the file. The one
   * before it is no longer valid. A block without a newline is a part of a long line. Only the last
   * block of a file ends within a line that other blocks do not continue.
   *
   * @throws IOException if the file cannot be read beyond the blocks before
   */
  @Nullable ParsedBlock next() throws IOException {
    if (current != null && current.isDone()) { // or a thread may still be reading it
      free.push(current.bytes());
    }
    while (!isAtEnd && ahead.size() < parsers.blocksAhead()) {
      read();
    }
    current = ahead.poll();
    if (current == null && failure != null) {
      throw failure;
    }
    if (current != null) {
      parse(current);
    }
    return current;
  }

  private void parse(ParsedBlock block) {
    block.parse();
    for (ParsedBlock later : ahead) {
      if (block.isDone()) {
        return;
      }
      later.parse();
    }
  }

  private void read() {
    byte[] bytes = free.isEmpty() ? new byte[blockBytes] : free.pop();
    int length = rest.length;
    System.arraycopy(rest, 0, bytes, 0, length);
    try {
      while (!isAtEnd && length < bytes.length) {
        int count = in.read(bytes, length, bytes.length - length);
        isAtEnd = count < 0;
        length += Math.max(count, 0);
      }
    } catch (IOException e) {
      failure = e;
      isAtEnd = true;
    }
    int wholeLength = wholeLength(bytes, length);
    if (failure != null) {
      length = wholeLength;
    } else if (!isAtEnd && wholeLength > 0) {
      rest = Arrays.copyOfRange(bytes, wholeLength, length);
      length = wholeLength;
    } else {
      rest = new byte[0];
    }
    if (length > 0) {
      ParsedBlock block = new ParsedBlock(bytes, length, wholeLength, parsers);
      ahead.add(block);
      parsers.parse(block);
    }
  }

  private static int wholeLength(byte[] bytes, int length) {
    int whole = length;
    while (whole > 0 && bytes[whole - 1] != '\n') {
      whole--;
    }
    return whole;
  }
}
