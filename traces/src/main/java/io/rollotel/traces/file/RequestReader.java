package io.rollotel.traces.file;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.RequestEncoder;
import io.rollotel.traces.otlp.SeenSpans;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.TornLine;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.otlp.UnreadableLineException;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads files line by line as export requests of any signal, and validates them like the collector.
 * For use by one thread.
 */
public final class RequestReader {

  /** Takes requests. */
  public interface Sink {

    /**
     * Takes a request.
     *
     * @param request in protobuf
     * @param records the number of spans, data points or log records in it
     */
    void accept(Signal signal, byte[] request, int records) throws IOException;
  }

  /** A longer line is not held in memory. */
  private static final int MAX_HELD_BYTES = 8 << 20;

  private static final int FIRST_HELD_BYTES = 64 << 10;

  private static final String EMPTY = "{}";

  private final SeenSpans seen;
  private final CallJoins joins;
  private final RequestEncoder encoder;
  private final Consumer<UnreadableLine> onUnreadable;

  private Consumer<UnreadableLine> onTorn = line -> {};

  private byte[] held = new byte[FIRST_HELD_BYTES];

  private long unreadableFiles;

  // Of the current read.
  private long records;
  private long duplicates;

  /**
   * A new reader: it skips and counts spans that it has read before.
   *
   * @param joins which traces become parts of others
   * @param onUnreadable receives each line that is skipped because it is not a request
   */
  public RequestReader(CallJoins joins, Consumer<UnreadableLine> onUnreadable) {
    this(joins, onUnreadable, Long.MAX_VALUE);
  }

  /**
   * The same, in bounded memory.
   *
   * @param mostRemembered duplicates are recognised among at least this many of the last spans
   */
  public RequestReader(
      CallJoins joins, Consumer<UnreadableLine> onUnreadable, long mostRemembered) {
    this.joins = joins;
    this.seen = new SeenSpans(mostRemembered);
    this.encoder = new RequestEncoder(seen, joins);
    this.onUnreadable = onUnreadable;
  }

  /** Passes on truncated lines; without this, they are only counted. */
  public RequestReader toldOfTornLines(Consumer<UnreadableLine> receiver) {
    onTorn = receiver;
    return this;
  }

  /**
   * Passes on every request of a file or directory, as {@link TracesReader#read} finds them.
   *
   * @return what was read; its spans are data points and log records as well
   * @throws NoSuchFileException if it does not exist
   * @throws IOException if the directory cannot be read, or the sink throws it
   */
  public ReadSummary read(Path where, Sink sink) throws IOException {
    records = 0;
    duplicates = 0;
    TraceFiles files =
        new TraceFiles(lines -> readLine(lines, sink), onUnreadable).toldOfTornLines(onTorn);
    try {
      List<Path> read = files.read(where);
      unreadableFiles += files.unreadableFiles();
      return files.summary(read, records, duplicates);
    } catch (UncheckedIOException ofTheSink) {
      throw ofTheSink.getCause();
    }
  }

  /** How many files and directories were not read, or not to their ends, because that failed. */
  public long unreadableFiles() {
    return unreadableFiles;
  }

  /**
   * Passes on spans that dead processes have ended but not exported, from the recorder files of an
   * output directory; nothing for any other directory, or for a file. Call it after reading all
   * files: spans in them are not recovered.
   *
   * @return how many spans
   * @throws IOException if the sink throws it
   */
  public long readRecovered(Path where, Sink sink) throws IOException {
    Recordings recordings = Recordings.read(where);
    TracesReader.unreadable(where, recordings).forEach(onUnreadable);
    long recovered = 0;
    for (Recording recording : recordings.all()) {
      List<Span> ended = new ArrayList<>();
      for (Span span : recording.isAlive() ? List.<Span>of() : recording.ended()) {
        if (seen.add(span.traceId(), span.spanId())) {
          ended.add(joins.join(span));
        }
      }
      if (!ended.isEmpty()) {
        sink.accept(Signal.TRACES, recording.withEnded(ended).request(), ended.size());
        recovered += ended.size();
      }
    }
    return recovered;
  }

  private boolean readLine(LineSource lines, Sink sink)
      throws IOException, UnreadableLineException {
    int length = hold(lines);
    if (length == MAX_HELD_BYTES) {
      encoder.encode(
          new SequenceInputStream(new ByteArrayInputStream(held, 0, length), lines), null);
      request(sink);
      return true;
    }
    if (isEmpty(length)) {
      return true;
    }
    try {
      encoder.encode(held, 0, length, null);
      request(sink);
      return true;
    } catch (UnreadableLineException e) {
      return readParts(TornLine.starts(held, length), length, e, sink);
    }
  }

  /** Whether the line is blank or {@code {}}, as ROLL writes for a request without spans. */
  private boolean isEmpty(int length) {
    int known = 0;
    for (int i = 0; i < length; i++) {
      byte next = held[i];
      if (next != ' ' && next != '\t' && next != '\r') {
        if (known == EMPTY.length() || next != EMPTY.charAt(known)) {
          return false;
        }
        known++;
      }
    }
    return known == 0 || known == EMPTY.length();
  }

  /** Reads the lines of which each lacks its newline; false if one of them is not whole. */
  private boolean readParts(
      List<Integer> starts, int length, UnreadableLineException ofAll, Sink sink)
      throws UnreadableLineException {
    int last = starts.size() - 1;
    if (last == 0 || !isRequest(starts.get(last), length)) {
      throw ofAll;
    }
    boolean areWhole = true;
    for (int i = 0; i <= last; i++) {
      int from = starts.get(i);
      int to = i == last ? length : starts.get(i + 1);
      try {
        encoder.encode(held, from, to - from, null);
        request(sink);
      } catch (UnreadableLineException notWhole) {
        areWhole = false;
      }
    }
    return areWhole;
  }

  /** Checked apart, because the encoder remembers the spans of what it reads. */
  private boolean isRequest(int from, int to) {
    RequestEncoder checking = new RequestEncoder();
    try {
      checking.encode(held, from, to - from, null);
      return checking.signal() != null;
    } catch (UnreadableLineException notWhole) {
      return false;
    }
  }

  /** Reads the line, or the first part of a long one, and returns its length. */
  private int hold(LineSource lines) throws IOException {
    int length = 0;
    int count = lines.read(held, 0, held.length);
    while (count > 0) {
      length += count;
      if (length == held.length && length < MAX_HELD_BYTES) {
        held = Arrays.copyOf(held, 2 * length);
      }
      count = lines.read(held, length, held.length - length);
    }
    return length;
  }

  private void request(Sink sink) throws UnreadableLineException {
    Signal signal = encoder.signal();
    if (signal == null) {
      encoder.refuse();
      throw new UnreadableLineException("neither resourceSpans, resourceMetrics nor resourceLogs");
    }
    byte[] request = Arrays.copyOf(encoder.bytes(), encoder.length());
    duplicates += encoder.duplicates();
    records += encoder.records();
    if (encoder.records() != 0) {
      try {
        sink.accept(signal, request, encoder.records());
      } catch (IOException e) {
        throw new UncheckedIOException(e); // not the file's
      }
    }
  }
}
