package io.rollotel.traces.report;

import io.rollotel.traces.recording.Recording;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** All runs, side by side: what each was, and whether steps got slower. */
public final class RunsReport {

  /** A median step of this many times the previous run's stands out. */
  private static final double SLOWER = 1.1;

  /**
   * A run.
   *
   * @param steps their number
   * @param medianStepNanos the median duration of its steps; 0 if there are none
   * @param ratio the median step divided by that of the previous run; not a number if one of the
   *     two has no steps
   * @param openSpans how many spans had not ended
   * @param died how many of its processes died with open spans
   * @param isOn whether one of its processes is alive
   * @param first the cause with the largest saving, else the longest phase; null if nothing stands
   *     out
   */
  public record Row(
      ReportContents.Header header,
      long steps,
      long medianStepNanos,
      double ratio,
      int openSpans,
      int died,
      boolean isOn,
      @Nullable FindingRow first) {

    static Row of(ReportContents run, @Nullable Row before) {
      long median = run.steps().areTraces() ? 0 : run.steps().medianNanos();
      List<Recording> processes =
          run.open().processes().stream().filter(process -> !process.open().isEmpty()).toList();
      return new Row(
          run.header(),
          run.steps().areTraces() ? 0 : run.steps().count(),
          median,
          before == null || before.medianStepNanos == 0 || median == 0
              ? Double.NaN
              : (double) median / before.medianStepNanos,
          run.open().rows().size(),
          (int) processes.stream().filter(Recording::hasDied).count(),
          run.open().processes().stream().anyMatch(Recording::isAlive),
          run.findings().stream().filter(FindingRow::hasSaving).findFirst().orElse(null));
    }

    /** Whether its steps took longer than those of the run before, or processes died. */
    public boolean isWorse() {
      return ratio >= SLOWER || died > 0;
    }

    /** How many spans it had: if traces were sampled an estimate, as those of errors and steps. */
    public long spans() {
      ReportContents.StandsFor standsFor = header.standsFor();
      return standsFor == null ? header.spans() : standsFor.spans();
    }

    /** How it ended, in words. */
    public String end() {
      if (isOn) {
        return "still on";
      }
      return died == 0 ? "ended" : TextFormat.count(died, "process", "processes") + " died";
    }
  }

  private final List<Row> rows;

  private RunsReport(List<Row> rows) {
    this.rows = rows;
  }

  /**
   * The runs of a report.
   *
   * @param oldestFirst the known facts about each
   */
  static RunsReport of(Iterable<ReportContents> oldestFirst) {
    List<Row> rows = new ArrayList<>();
    for (ReportContents run : oldestFirst) {
      rows.add(Row.of(run, rows.isEmpty() ? null : rows.get(rows.size() - 1)));
    }
    return new RunsReport(rows);
  }

  /** A row for each run, the oldest first. */
  public List<Row> rows() {
    return rows;
  }

  /** Prints a table, and the first finding of each run. Flushes. */
  public void print(ReportWriter out) {
    Table table =
        new Table(
            "run~",
            "started (UTC)",
            "took>",
            "?processes>",
            "spans>",
            "errors>",
            "steps>",
            "median step>",
            "ratio>",
            "end");
    for (Row row : rows) {
      table.row(
          row.isWorse() ? ReportWriter.Colour.BAD : null,
          row.header.runId(),
          TextFormat.time(row.header.startEpochNanos()),
          TextFormat.duration(row.header.wallNanos()),
          Integer.toString(row.header.processes()),
          Long.toString(row.spans()),
          Long.toString(row.header.errors()),
          Long.toString(row.steps),
          row.medianStepNanos == 0 ? "-" : TextFormat.duration(row.medianStepNanos),
          Double.isNaN(row.ratio) ? "-" : String.format(Locale.ROOT, "%.2f", row.ratio),
          row.end());
    }
    out.line(ReportWriter.Colour.HEADING, TextFormat.count(rows.size(), "run", "runs"));
    table.print(out);
    boolean isFirst = true;
    for (Row row : rows) {
      if (row.first != null) {
        if (isFirst) {
          out.println();
          out.line(ReportWriter.Colour.HEADING, "What would save time in each:");
          isFirst = false;
        }
        out.wrapped("  " + row.header.runId() + ": " + row.first.text());
      }
    }
    out.flush();
  }

  /** Writes the same as one JSON object, as docs/analysis.md describes it. Flushes. */
  public void writeJson(PrintWriter out) {
    try (JsonGenerator generator = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      JsonRows json = new JsonRows(generator);
      generator.writeStartObject();
      json.put("schemaVersion", ReportSchema.VERSION).rows("runs", rows, row -> row(json, row));
      generator.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void row(JsonRows json, Row row) {
    json.put("run", row.header.runId())
        .put("startEpochNanos", row.header.startEpochNanos())
        .put("wallNanos", row.header.wallNanos())
        .put("processes", row.header.processes())
        .put("spans", row.spans())
        .put("errors", row.header.errors())
        .put("steps", row.steps)
        .put("medianStepNanos", row.medianStepNanos)
        .putFinite("ratio", row.ratio)
        .put("openSpans", row.openSpans)
        .put("died", row.died)
        .put("isOn", row.isOn);
    if (row.first != null) {
      json.put("finding", row.first.text());
    }
  }
}
