package io.rollotel.traces.export;

import io.rollotel.traces.analysis.Clocks;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.query.SpanMatches;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.Spans;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.exc.JacksonIOException;

/**
 * A run, or those of its spans that a query matches, in the format of another tool. Attributes are
 * kept in memory while it is made, events and links are not exported.
 */
public final class Export {

  /** The formats of an export. */
  public enum Format {
    /** A row for each span; RFC 4180. */
    CSV,
    /** The same, with cells as recorded, including formulas and control characters. */
    RAW_CSV,
    /** The JSON for Jaeger's user interface. */
    JAEGER,
    /** Chrome's trace-event format, which Perfetto opens. */
    PERFETTO
  }

  private final RunReport report;
  private final @Nullable Query where;
  private final Format format;

  /** Counted while it is written. */
  private int undated;

  private Export(RunReport report, @Nullable Query where, Format format) {
    this.report = report;
    this.where = where;
    this.format = format;
  }

  /**
   * Reads a run, as {@link RunReport#read} does.
   *
   * @throws IOException if a directory cannot be read
   */
  public static Export read(List<Path> where, ReportOptions options, Format format)
      throws IOException {
    Spans spans =
        switch (format) {
          case CSV, RAW_CSV -> new Spans(options.tags(null));
          case JAEGER -> new Spans(options.tags(AttributeJson::jaegerTags));
          case PERFETTO -> new Spans(options.tags(AttributeJson::object));
        };
    return new Export(RunReport.read(where, options, spans), options.where(), format);
  }

  /** What was read. */
  public RunReport report() {
    return report;
  }

  /**
   * How many spans were left out, because they have no credible times and the format needs them.
   */
  public int undated() {
    return undated;
  }

  /** What the user should know about the times, if hosts have different clocks; else null. */
  public @Nullable String clocksText() {
    Clocks clocks = report.analysis().clocks();
    if (clocks.corrected().isEmpty()) {
      return clocks.disagreeing().isEmpty()
          ? null
          : "The clocks of hosts disagree, and cannot be corrected: all times are as recorded.";
    }
    return switch (format) {
      case CSV, RAW_CSV ->
          "The clocks of hosts differ: start, end and duration are as recorded; self_ns,"
              + " critical_path_ns and queue_ns are those of the report, on one clock.";
      case JAEGER -> "The clocks of hosts differ: all times are as recorded.";
      case PERFETTO -> "The clocks of hosts differ: all times are on one clock, as in the report.";
    };
  }

  /**
   * Writes it; does not close the stream.
   *
   * @return how many spans were written
   * @throws IOException if it cannot be written
   */
  public int write(OutputStream to) throws IOException {
    RunAnalysis run = report.analysis();
    int[] wanted = wanted(run, where);
    if (format == Format.JAEGER || format == Format.PERFETTO) {
      int[] timed = IntStream.of(wanted).filter(run.spans()::isTimed).toArray();
      undated = wanted.length - timed.length;
      wanted = timed;
    }
    OutputStream out = new BufferedOutputStream(to, 1 << 16);
    try {
      switch (format) {
        case CSV -> new CsvExport(run, wanted, false).write(out);
        case RAW_CSV -> new CsvExport(run, wanted, true).write(out);
        case JAEGER -> new JaegerExport(run, wanted).write(out);
        case PERFETTO -> new PerfettoExport(run, wanted).write(out);
      }
    } catch (JacksonIOException e) {
      throw e.getCause(); // it is wrapped in an unchecked exception
    }
    out.flush();
    return wanted.length;
  }

  /** The run's spans in their order, or those that the query matches. */
  static int[] wanted(RunAnalysis run, @Nullable Query where) {
    if (where == null) {
      return run.members();
    }
    BitSet matching = SpanMatches.of(run, where);
    return IntStream.of(run.members()).filter(matching::get).toArray();
  }
}
