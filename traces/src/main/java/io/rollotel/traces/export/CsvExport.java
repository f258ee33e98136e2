package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.report.PlainText;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.regex.Pattern;

/**
 * A run as comma-separated values, a row for each span, by trace and start. A cell that a
 * spreadsheet would take for a formula begins with an apostrophe, unless raw cells are requested.
 */
final class CsvExport {

  private static final String HEADING =
      "run,trace_id,span_id,parent_span_id,name,kind,service,instance,rank,host,pid,"
          + "start_unix_ns,end_unix_ns,duration_ns,self_ns,critical_path_ns,queue_ns,error,reason,adjusted_count";

  private static final String BEGINS_A_FORMULA = "=+-@\t\r";
  private static final Pattern NUMBER = Pattern.compile("-\\d+(\\.\\d+)?");

  private final RunAnalysis run;
  private final int[] wanted;
  private final boolean isRaw;
  private final Spans spans;
  private final RecordedTimes recorded;

  /**
   * For some spans.
   *
   * @param wanted numbers of the run's spans in the tree's order
   */
  CsvExport(RunAnalysis run, int[] wanted, boolean isRaw) {
    this.run = run;
    this.wanted = wanted;
    this.isRaw = isRaw;
    this.spans = run.spans();
    this.recorded = new RecordedTimes(run);
  }

  void write(OutputStream out) throws IOException {
    Writer writer = new OutputStreamWriter(out, UTF_8);
    StringBuilder row = new StringBuilder(HEADING);
    writer.append(row.append("\r\n"));
    for (int span : wanted) {
      row.setLength(0);
      row(row, span);
      row.setLength(row.length() - 1);
      writer.append(row.append("\r\n"));
    }
    writer.flush();
  }

  private void row(StringBuilder row, int span) {
    TracedProcess process = spans.processOf(span);
    boolean isTimed = spans.isTimed(span);
    boolean hasEnd = isTimed && !spans.isBackwards(span);
    text(row, run.runId());
    text(row, spans.traceIdOf(span));
    text(row, spans.spanId(span));
    text(row, spans.parentSpanId(span));
    text(row, spans.recordedNameOf(span));
    row.append(spans.kind(span)).append(',');
    text(row, process.serviceName());
    text(row, process.instanceId());
    text(row, process.rank());
    text(row, process.host());
    text(row, process.pid());
    number(row, isTimed, recorded.start(span));
    number(row, hasEnd, recorded.end(span));
    number(row, hasEnd, recorded.end(span) - recorded.start(span));
    number(row, hasEnd, run.selfNanos(span));
    number(row, hasEnd, run.path().nanosOf(span));
    number(row, spans.queueNanos(span) != Spans.NO_QUEUE, spans.queueNanos(span));
    row.append(spans.isError(span) ? 1 : 0).append(',');
    text(row, spans.isError(span) ? spans.failureText(spans.failure(span)) : "");
    row.append(AttributeJson.count(spans.weight(span))).append(',');
  }

  /** An empty cell if it is unknown. */
  private static void number(StringBuilder row, boolean isKnown, long number) {
    if (isKnown) {
      row.append(number);
    }
    row.append(',');
  }

  private void text(StringBuilder row, String cell) {
    String text = isRaw ? cell : guarded(PlainText.escaped(cell, "\t\n\r"));
    boolean isPlain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    row.append(isPlain ? text : '"' + text.replace("\"", "\"\"") + '"').append(',');
  }

  private static String guarded(String cell) {
    boolean isFormula =
        !cell.isEmpty()
            && BEGINS_A_FORMULA.indexOf(cell.charAt(0)) >= 0
            && !NUMBER.matcher(cell).matches();
    return isFormula ? "'" + cell : cell;
  }
}
