package io.rollotel.traces.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads files line by line as export requests of any signal, and checks them as the collector
 * checks what it receives. For use by one thread.
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

  private final RequestEncoder encoder;
  private final Consumer<UnreadableLine> onUnreadable;
  private final JsonLine line = new JsonLine();
  private final LineTranslator check = new LineTranslator(line);

  // Of the current read.
  private long records;
  private long duplicates;

  /**
   * A reader that has read nothing yet.
   *
   * @param joins whether a span that it has read before is left out and counted
   * @param onUnreadable takes each line that is left out since it is no request
   */
  public RequestReader(boolean joins, Consumer<UnreadableLine> onUnreadable) {
    this.encoder = new RequestEncoder(joins ? new SpanIdSet() : null);
    this.onUnreadable = onUnreadable;
  }

  /**
   * Passes on every request of a file or directory, as {@link TracesReader#read} finds them.
   *
   * @return what was read; its spans are data points and log records as well
   * @throws NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read, or the sink throws it
   */
  public ReadSummary read(Path where, Sink sink) throws IOException {
    records = 0;
    duplicates = 0;
    TraceFiles files = new TraceFiles(lines -> readLine(lines, sink), onUnreadable);
    try {
      List<Path> read = files.read(where);
      return files.summary(read, records, duplicates);
    } catch (UncheckedIOException ofTheSink) {
      throw ofTheSink.getCause();
    }
  }

  private void readLine(LineSource lines, Sink sink) throws IOException, UnreadableLineException {
    encoder.encode(lines, null);
    Signal signal = encoder.signal();
    if (signal == null) {
      throw new UnreadableLineException("neither resourceSpans, resourceMetrics nor resourceLogs");
    }
    byte[] request = Arrays.copyOf(encoder.bytes(), encoder.length());
    try {
      check.translate(signal, request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new UnreadableLineException(e.what());
    } finally {
      line.clear();
    }
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
