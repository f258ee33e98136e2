package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.SeenSpans;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.parquet.ParquetFormat;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Exports spans as recorded to Parquet, one row each. Reads them once, and never holds all of them
 * in memory. To choose a run or apply a query, it first reads them as {@link Export} does. For use
 * by one thread.
 */
public final class ParquetExport {

  /**
   * Duplicates are recognised among at least this many spans. More would need memory for each span;
   * readers skip the remaining duplicates.
   */
  public static final long REMEMBERED = 4_000_000;

  private static final int TRACE_DIGITS = 32;

  private final ParquetFormat format;
  private final ParquetFormat.@Nullable Wanted wanted;

  private long duplicates;
  private long tornLines;
  private long recovered;
  private long otherRecords;

  private ParquetExport(ParquetFormat format, ParquetFormat.@Nullable Wanted wanted) {
    this.format = format;
    this.wanted = wanted;
  }

  /**
   * Of all spans of all runs.
   *
   * @throws IOException if Parquet's library is missing; the message says what to do
   */
  public static ParquetExport ofAll() throws IOException {
    return new ParquetExport(ParquetFormat.find(), null);
  }

  /** A report that keeps the ids of its spans, for {@link #of}. */
  public static RunReport read(List<Path> where, ReportOptions options) throws IOException {
    return RunReport.read(where, options, new Spans(options.tags(ParquetExport::ids)));
  }

  /**
   * Of a run's spans, or those of them that the query matches.
   *
   * @param run a run from {@link #read}, not empty
   * @throws IOException if Parquet's library is missing; the message says what to do
   */
  public static ParquetExport of(RunReport run, ReportOptions options) throws IOException {
    ParquetFormat found = ParquetFormat.find();
    SpanTags ids = run.analysis().spans().tags();
    if (ids == null) {
      throw new IllegalStateException("read without ids");
    }
    SeenSpans chosen = new SeenSpans();
    for (int span : Export.wanted(run.analysis(), options.where())) {
      String both = new String(ids.get(span), US_ASCII);
      chosen.add(both.substring(0, TRACE_DIGITS), both.substring(TRACE_DIGITS));
    }
    return new ParquetExport(found, chosen::contains);
  }

  /** As in the file, before traces are joined. */
  private static byte[] ids(Span span) {
    return (span.traceId() + span.spanId()).getBytes(US_ASCII);
  }

  /**
   * Writes the file; does not close the stream.
   *
   * @param onUnreadable receives each line or file that is skipped because it cannot be read
   * @param progress frequently receives the number of written spans
   * @return how many spans were written
   * @throws IOException if a directory cannot be read or the file cannot be written
   */
  public long write(
      List<Path> where,
      OutputStream to,
      Consumer<UnreadableLine> onUnreadable,
      LongConsumer progress)
      throws IOException {
    try (ParquetFormat.Rows rows = format.write(new BufferedOutputStream(to, 1 << 16), wanted)) {
      RequestReader reader = new RequestReader(CallJoins.NONE, onUnreadable, REMEMBERED);
      RequestReader.Sink sink =
          (signal, request, records) -> {
            if (signal == Signal.TRACES) {
              rows.add(request, request.length);
              progress.accept(rows.size());
            } else {
              otherRecords += records;
            }
          };
      for (Path dir : where) {
        ReadSummary summary = reader.read(dir, sink);
        duplicates += summary.duplicates();
        tornLines += summary.tornLines();
      }
      for (Path dir : where) {
        recovered += reader.readRecovered(dir, sink);
      }
      return rows.size();
    }
  }

  /** Reports the spans that were not written, and other findings beside the files. */
  @Override
  public String toString() {
    return "left out: "
        + Count.text(duplicates, "duplicate")
        + ", "
        + Count.text(tornLines, "truncated line")
        + others()
        + (recovered == 0 ? "" : "; recovered: " + Count.text(recovered, "span"));
  }

  private String others() {
    String noun = otherRecords == 1 ? " data point or log record" : " data points or log records";
    return otherRecords == 0 ? "" : ", " + otherRecords + noun;
  }
}
