package io.rollotel.traces.file;

import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * A part of a file in memory, of whole lines where possible, and the spans of these lines once any
 * thread has parsed them.
 */
final class ParsedBlock {

  /** A line that was parsed: its first byte, its newline, and its spans. */
  record Line(int start, int newline, List<Span> spans) {}

  private final byte[] bytes;
  private final int length;
  private final int wholeLength;
  private final FutureTask<List<Line>> task;

  /** The next line that has not been asked for. */
  private int next;

  /**
   * A block that no thread has parsed yet.
   *
   * @param length the number of bytes
   * @param wholeLength the number of bytes up to the last newline, with it
   * @param parsers the parsers that the threads share
   */
  ParsedBlock(byte[] bytes, int length, int wholeLength, LineParsers parsers) {
    this.bytes = bytes;
    this.length = length;
    this.wholeLength = wholeLength;
    this.task = new FutureTask<>(() -> parsers.with(this::lines));
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  int wholeLength() {
    return wholeLength;
  }

  /** Parses the lines, unless a thread has begun to. */
  void parse() {
    task.run();
  }

  /** Whether its lines have been parsed. */
  boolean isDone() {
    return task.isDone();
  }

  /** A line that is not compact has no spans here. */
  private List<Line> lines(LineParser parser) {
    List<Line> lines = new ArrayList<>();
    int at = 0;
    while (at < wholeLength) {
      List<Span> spans = parser.parseHeld(bytes, at);
      int newline = spans == null ? newline(at) : parser.heldEnd();
      if (spans != null) {
        lines.add(new Line(at, newline, spans));
      }
      at = newline + 1;
    }
    return lines;
  }

  private int newline(int from) {
    int at = from;
    while (bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  /**
   * The line that begins there, or null if it must be parsed as a stream. Lines are asked for in
   * their order.
   *
   * @throws IOException if this thread was interrupted while another one parses the lines
   */
  @Nullable Line line(int start) throws IOException {
    List<Line> lines = lines();
    while (next < lines.size() && lines.get(next).start < start) {
      next++;
    }
    return next < lines.size() && lines.get(next).start == start ? lines.get(next) : null;
  }

  private List<Line> lines() throws IOException {
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error; // the heap is full
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
