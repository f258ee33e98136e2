package io.rollotel.traces.file;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads spans from traces files: ours, otelcol's and ROLL's.
 *
 * <p>A reader remembers the ids of all spans that it has read, 24 to 48 bytes each. For use by one
 * thread.
 */
public final class TracesReader {

  private final SpanIdSet ids = new SpanIdSet();
  private final CallJoins joins = new CallJoins();

  // Of the current read.
  private long spans;
  private long duplicates;

  /** A reader that has read nothing yet. */
  public TracesReader() {}

  /**
   * Passes on every span of a file, or of all {@code *.jsonl} and {@code *.jsonl.gz} files below a
   * directory.
   *
   * <p>A span that this reader has passed on before is left out and counted, and so is a line that
   * cannot be read, or a whole file.
   *
   * @param where an output directory with {@code traces} in it, which alone is then looked into; or
   *     any other directory; or a file
   * @throws NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read
   */
  public ReadSummary read(Path where, Consumer<Span> consumer) throws IOException {
    spans = 0;
    duplicates = 0;
    TraceFiles files = new TraceFiles(lines -> readLine(lines, consumer), line -> {});
    List<Path> read = files.read(where);
    return files.summary(read, spans, duplicates);
  }

  /**
   * Whether this reader has read that span.
   *
   * @param traceId as in {@link Span#traceId}
   * @param spanId as in {@link Span#spanId}
   */
  public boolean hasRead(String traceId, String spanId) {
    return ids.contains(traceId, spanId);
  }

  /** What of the spans read so far belongs together although it has come as several traces. */
  public CallJoins joins() {
    return joins;
  }

  private void readLine(LineSource lines, Consumer<Span> consumer)
      throws IOException, UnreadableLineException {
    for (Span span : LineParser.parse(lines)) {
      if (ids.add(span.traceId(), span.spanId())) {
        spans++;
        joins.see(span);
        consumer.accept(span);
      } else {
        duplicates++;
      }
    }
  }
}
