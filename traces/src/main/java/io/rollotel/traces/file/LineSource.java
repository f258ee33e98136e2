package io.rollotel.traces.file;

import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLineException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a file, each as a stream that ends where the line ends.
 *
 * <p>A line of any length takes no more memory than the buffer. Whatever part of a line a reader
 * consumes, the next one begins after the newline.
 */
public final class LineSource extends InputStream {

  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long NEWLINES = 0x0a0a_0a0a_0a0a_0a0aL;
  private static final long TOP_BITS = 0x8080_8080_8080_8080L;

  private final InputStream in;

  /** Null if {@link #in} is read without other threads. */
  private final @Nullable BlocksAhead ahead;

  /** The block in the buffer. */
  private @Nullable ParsedBlock block;

  private byte[] buffer;

  /** The same bytes, for access to eight at a time. */
  private ByteBuffer words;

  private int position;
  private int limit;

  /** The last newline in the buffer; negative if there is none. */
  private int lastNewline = -1;

  private long filledBytes;
  private long lineNumber;
  private boolean isLineOpen;
  private boolean isFileAtEnd;

  /** The remaining lines of a stream. */
  public LineSource(InputStream in) {
    this(in, null, new byte[64 << 10]);
  }

  private LineSource(InputStream in, @Nullable BlocksAhead ahead, byte[] buffer) {
    this.in = in;
    this.ahead = ahead;
    this.buffer = buffer;
    this.words = words(buffer);
  }

  private static ByteBuffer words(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The remaining lines of a stream, for {@link #spans}: its buffer holds many lines. */
  public static LineSource ofSpans(InputStream in) {
    return new LineSource(in, null, new byte[1 << 20]);
  }

  /** The lines of blocks that other threads parse. */
  static LineSource of(BlocksAhead blocks) {
    return new LineSource(InputStream.nullInputStream(), blocks, new byte[0]);
  }

  /** Steps to the next line, skipping the rest of this one; false at the end of the file. */
  public boolean nextLine() throws IOException {
    while (isLineOpen) {
      skipBuffered();
    }
    if (position > lastNewline && !fill() && position == limit) {
      return false;
    }
    lineNumber++;
    isLineOpen = true;
    return true;
  }

  /**
   * The position of the next byte of the stream: the start of a line after {@link #nextLine}, the
   * start of the next line after {@link #endsWithFile}.
   */
  public long offset() {
    return filledBytes - (limit - position);
  }

  /** The number of the line, from 1. */
  long lineNumber() {
    return lineNumber;
  }

  /** Whether the line ends with the file instead of a newline; reads the rest of the line. */
  public boolean endsWithFile() throws IOException {
    while (isLineOpen) {
      skipBuffered();
    }
    return isFileAtEnd;
  }

  /**
   * Reads the line to its end, as {@link LineParser#parse} does. A line that is whole in the buffer
   * is neither searched for its end nor copied.
   *
   * @throws UnreadableLineException for a line that is not a trace request
   * @throws IOException if the rest of the file cannot be read
   */
  public List<Span> spans(LineParser parser) throws IOException, UnreadableLineException {
    if (isLineOpen && position < lastNewline) {
      List<Span> spans = heldLine(parser);
      return spans == null ? parser.parseNotCompact(this) : spans;
    }
    return parser.parse(this);
  }

  private @Nullable List<Span> heldLine(LineParser parser) throws IOException {
    if (block == null) {
      List<Span> spans = parser.parseHeld(buffer, position);
      if (spans != null) {
        endLine(parser.heldEnd());
      }
      return spans;
    }
    ParsedBlock.Line line = block.line(position);
    if (line == null) {
      return null;
    }
    endLine(line.newline());
    return parser.readElsewhere(line.spans());
  }

  private void endLine(int newline) {
    position = newline + 1;
    isLineOpen = false;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (!isLineOpen || (position == limit && !fill())) {
      isLineOpen = false;
      return -1;
    }
    int end = Math.min(limit, position + length);
    int at = lineEnd(position, end);
    int count = at - position;
    System.arraycopy(buffer, position, bytes, offset, count);
    position = at;
    if (at < end) {
      position++; // over the newline
      isLineOpen = false;
    }
    return count == 0 && length != 0 ? -1 : count;
  }

  private void skipBuffered() throws IOException {
    if (position == limit && !fill()) {
      isLineOpen = false;
      return;
    }
    int at = lineEnd(position, limit);
    isLineOpen = at == limit;
    position = isLineOpen ? at : at + 1;
  }

  /** The position of the next newline, or the end. */
  private int lineEnd(int from, int end) {
    int at = from;
    while (at + Long.BYTES <= end && !hasNewline(words.getLong(at))) {
      at += Long.BYTES;
    }
    while (at < end && buffer[at] != '\n') {
      at++;
    }
    return at;
  }

  /** Only a zero byte borrows from the bit above it without having that bit set. */
  private static boolean hasNewline(long word) {
    long zeroAtNewline = word ^ NEWLINES;
    return ((zeroAtNewline - ONES) & ~zeroAtNewline & TOP_BITS) != 0;
  }

  /** Reads on behind what is left in the buffer, which moves to its start. False at the end. */
  private boolean fill() throws IOException {
    return ahead == null ? fillFromStream() : takeBlock(ahead);
  }

  private boolean takeBlock(BlocksAhead blocks) throws IOException {
    ParsedBlock taken = blocks.next();
    isFileAtEnd = taken == null;
    if (taken == null) {
      return false;
    }
    block = taken;
    buffer = taken.bytes();
    words = words(buffer);
    position = 0;
    limit = taken.length();
    filledBytes += limit;
    lastNewline = taken.wholeLength() - 1;
    return true;
  }

  private boolean fillFromStream() throws IOException {
    int left = limit - position;
    System.arraycopy(buffer, position, buffer, 0, left);
    position = 0;
    limit = left;
    lastNewline = -1;
    int count = in.read(buffer, left, buffer.length - left);
    isFileAtEnd = count < 0;
    if (isFileAtEnd) {
      return false;
    }
    limit += count;
    filledBytes += count;
    lastNewline = limit - 1;
    while (lastNewline >= left && buffer[lastNewline] != '\n') {
      lastNewline--;
    }
    if (lastNewline < left) {
      lastNewline = -1;
    }
    return true;
  }
}
