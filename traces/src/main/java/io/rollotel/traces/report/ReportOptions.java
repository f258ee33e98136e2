package io.rollotel.traces.report;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.file.ReadProgress;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.query.QueryTags;
import io.rollotel.traces.spans.SpanTags;
import org.jspecify.annotations.Nullable;

/**
 * Options of a report.
 *
 * @param runId the run; null for the latest, which is the one whose first span started last
 * @param stepName the name of the spans that are a run's steps
 * @param traceUrl a template with {@code {trace_id}}, {@code {span_id}}, {@code {traceparent}} that
 *     leads to a span in a trace viewer; null for none
 * @param isClockCorrected whether times of hosts whose clocks differ are put on one clock
 * @param progress receives the progress of reading
 * @param where the query whose spans are listed as well; null for none
 */
public record ReportOptions(
    @Nullable String runId,
    String stepName,
    @Nullable String traceUrl,
    boolean isClockCorrected,
    ReadProgress progress,
    @Nullable Query where) {

  /** The latest run, with ROLL's step names, corrected clocks and no links. */
  public static ReportOptions latestRun() {
    return new ReportOptions(
        null, RunAnalysis.PIPELINE_STEP, null, true, (bytes, ofBytes) -> {}, null);
  }

  /** The same for a run of this id; null for the latest. */
  public ReportOptions withRun(@Nullable String id) {
    return new ReportOptions(id, stepName, traceUrl, isClockCorrected, progress, where);
  }

  /** The same with steps of the given name. */
  public ReportOptions withSteps(String name) {
    return new ReportOptions(runId, name, traceUrl, isClockCorrected, progress, where);
  }

  /** The same with that template. */
  public ReportOptions withTraceUrl(@Nullable String template) {
    return new ReportOptions(runId, stepName, template, isClockCorrected, progress, where);
  }

  /** The same with a listener for progress. */
  public ReportOptions withProgress(ReadProgress listener) {
    return new ReportOptions(runId, stepName, traceUrl, isClockCorrected, listener, where);
  }

  /** The same, with times of hosts whose clocks differ put on one clock, or as recorded. */
  public ReportOptions withClockCorrection(boolean wanted) {
    return new ReportOptions(runId, stepName, traceUrl, wanted, progress, where);
  }

  /** The same, with the spans listed that a query matches; null for none. */
  public ReportOptions withWhere(@Nullable Query query) {
    return new ReportOptions(runId, stepName, traceUrl, isClockCorrected, progress, query);
  }

  /**
   * The observer of spans that a query needs while they are read.
   *
   * @param kept selects the attributes to keep; null to keep none
   * @return null if the query needs no observer
   */
  public @Nullable SpanTags tags(SpanTags.@Nullable Form kept) {
    if (where != null && where.needsContents()) {
      return new SpanTags(new QueryTags(where, kept));
    }
    return kept == null ? null : new SpanTags(kept);
  }
}
