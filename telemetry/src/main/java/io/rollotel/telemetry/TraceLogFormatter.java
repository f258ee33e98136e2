package io.rollotel.telemetry;

import io.rollotel.telemetry.internal.StderrLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.IllegalFormatException;
import java.util.logging.Formatter;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Formats records of java.util.logging with the IDs of the span in which they were logged: {@code
 * java.util.logging.ConsoleHandler.formatter = io.rollotel.telemetry.TraceLogFormatter}.
 *
 * <p>The property {@code io.rollotel.telemetry.TraceLogFormatter.format} has the syntax of {@code
 * SimpleFormatter.format} and four more arguments: 7 is the trace ID, 8 the span ID, 9 the
 * traceparent, and 10 all three as {@code trace_id=… span_id=… traceparent=…}. All four are empty
 * outside a span. Use it in handlers that format on the logging thread, as the JDK's do.
 */
public final class TraceLogFormatter extends Formatter {

  private static final String DEFAULT_FORMAT =
      "%1$tY-%1$tm-%1$td %1$tH:%1$tM:%1$tS.%1$tL %4$s %2$s: %5$s%10$s%6$s%n";

  private final String format;

  /** Called by the log manager. */
  public TraceLogFormatter() {
    this(LogManager.getLogManager().getProperty(TraceLogFormatter.class.getName() + ".format"));
  }

  TraceLogFormatter(@Nullable String format) {
    this.format = format == null || !isFormat(format) ? DEFAULT_FORMAT : format;
  }

  @Override
  public String format(LogRecord record) {
    ZonedDateTime when = ZonedDateTime.ofInstant(record.getInstant(), ZoneId.systemDefault());
    TraceCorrelation.Ids ids = TraceCorrelation.current().orElse(null);
    return String.format(
        format,
        when,
        source(record),
        record.getLoggerName(),
        record.getLevel().getLocalizedName(),
        formatMessage(record),
        thrown(record),
        ids == null ? "" : ids.traceId(),
        ids == null ? "" : ids.spanId(),
        ids == null ? "" : ids.traceparent(),
        ids == null ? "" : all(ids));
  }

  private static String all(TraceCorrelation.Ids ids) {
    return " trace_id="
        + ids.traceId()
        + " span_id="
        + ids.spanId()
        + " traceparent="
        + ids.traceparent();
  }

  private static @Nullable String source(LogRecord record) {
    String type = record.getSourceClassName();
    if (type == null) {
      return record.getLoggerName();
    }
    String method = record.getSourceMethodName();
    return method == null ? type : type + " " + method;
  }

  private static String thrown(LogRecord record) {
    Throwable thrown = record.getThrown();
    if (thrown == null) {
      return "";
    }
    StringWriter trace = new StringWriter();
    PrintWriter printer = new PrintWriter(trace);
    printer.println();
    thrown.printStackTrace(printer);
    return trace.toString();
  }

  private static boolean isFormat(String format) {
    try {
      return String.format(
              format, ZonedDateTime.now(ZoneId.systemDefault()), "", "", "", "", "", "", "", "", "")
          != null;
    } catch (IllegalFormatException e) {
      StderrLog.warn(
          "TraceLogFormatter.format is not a format; the default is used: " + e.getMessage());
      return false;
    }
  }
}
