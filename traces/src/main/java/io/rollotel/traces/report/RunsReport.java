package io.rollotel.traces.report;

import io.rollotel.traces.analysis.RunSteps;
import io.rollotel.traces.analysis.Steps;
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

  /** A median step of this many times an earlier run's stands out. */
  private static final double SLOWER = 1.1;

  /**
   * A run.
   *
   * @param steps their number
   * @param medianStepNanos the median duration of its steps; 0 if there are none
   * @param ratioTo the id of the earlier run whose steps these are compared with; null if no
   *     earlier run has steps
   * @param ratio the median step divided by that of the earlier run; not a number if there is none
   * @param areStepsTold whether both runs have enough steps to tell a difference
   * @param areStepsSlower whether the steps took that much longer, beyond chance
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
      @Nullable String ratioTo,
      double ratio,
      boolean areStepsTold,
      boolean areStepsSlower,
      int openSpans,
      int died,
      boolean isOn,
      @Nullable FindingRow first) {

    static Row of(ReportContents run, RunSteps steps, @Nullable EarlierSteps before) {
      List<Recording> processes =
          run.open().processes().stream().filter(process -> !process.open().isEmpty()).toList();
      EarlierSteps earlier = steps.isEmpty() ? null : before;
      double ratio =
          earlier == null ? Double.NaN : (double) steps.medianNanos() / earlier.steps.medianNanos();
      return new Row(
          run.header(),
          run.steps().areTraces() ? 0 : run.steps().count(),
          steps.medianNanos(),
          earlier == null ? null : earlier.runId,
          ratio,
          earlier != null && steps.canTell(earlier.steps),
          earlier != null && ratio >= SLOWER && steps.areLongerThan(earlier.steps),
          run.open().rows().size(),
          (int) processes.stream().filter(Recording::hasDied).count(),
          run.open().processes().stream().anyMatch(Recording::isAlive),
          run.findings().stream()
              .filter(FindingRow::hasSaving)
              .findFirst()
              .map(FindingRow::withoutEvidence)
              .orElse(null));
    }

    /** Whether its steps took longer than those of an earlier run, or processes died. */
    public boolean isWorse() {
      return areStepsSlower || died > 0;
    }

    /** What would save time, and how much; null if nothing stands out. */
    public @Nullable String finding() {
      return first == null
          ? null
          : TextFormat.percent(first.share())
              + ", "
              + TextFormat.duration(first.finding().savesNanos())
              + ": "
              + first.text();
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

  /** The steps of a run that later ones are compared with. */
  private record EarlierSteps(String runId, RunSteps steps) {}

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
    EarlierSteps latest = null;
    EarlierSteps latestTold = null; // a run that was aborted hides no change
    for (ReportContents run : oldestFirst) {
      RunSteps steps = runSteps(run);
      boolean isTold = latestTold != null && steps.canTell(latestTold.steps);
      rows.add(Row.of(run, steps, isTold ? latestTold : latest));
      if (!steps.isEmpty()) {
        latest = new EarlierSteps(run.header().runId(), steps);
        latestTold = steps.canTell(steps) ? latest : latestTold;
      }
    }
    return new RunsReport(rows);
  }

  private static RunSteps runSteps(ReportContents run) {
    ReportContents.StepSummary steps = run.steps();
    return steps.areTraces()
        ? RunSteps.NONE
        : RunSteps.of(steps.medianNanos(), steps.all().stream().mapToLong(Steps.Step::wallNanos));
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
          TextFormat.start(row.header.startEpochNanos()).replace(" UTC", ""), // the heading says so
          TextFormat.duration(row.header.wallNanos()),
          Integer.toString(row.header.processes()),
          Long.toString(row.spans()),
          Long.toString(row.header.errorsBegun()),
          Long.toString(row.steps),
          row.medianStepNanos == 0 ? "-" : TextFormat.duration(row.medianStepNanos),
          ratio(row.ratio),
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
        out.wrapped("  " + row.header.runId() + ": " + row.finding());
      }
    }
    out.flush();
  }

  private static String ratio(double ratio) {
    if (Double.isNaN(ratio)) {
      return "-";
    }
    return ratio < 0.005
        ? "<0.01"
        : String.format(Locale.ROOT, ratio < 99.5 ? "%.2f" : "%.0f", ratio);
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
        .put("errorsBegun", row.header.errorsBegun())
        .put("steps", row.steps)
        .put("medianStepNanos", row.medianStepNanos)
        .putFinite("ratio", row.ratio);
    if (row.ratioTo != null) {
      json.put("ratioTo", row.ratioTo).put("stepsAreSlower", row.areStepsSlower);
      json.put("tooFewSteps", !row.areStepsTold);
    }
    json.put("openSpans", row.openSpans).put("died", row.died).put("isOn", row.isOn);
    if (row.first != null) {
      json.put("finding", row.first.text())
          .put("savesNanos", row.first.finding().savesNanos())
          .put("shareOfSteps", row.first.share());
    }
  }
}
