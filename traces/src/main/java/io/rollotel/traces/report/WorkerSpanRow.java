package io.rollotel.traces.report;

import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.WorkerSpans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.List;

/** The spans of one name in one process. */
record WorkerSpanRow(
    ReportContents.NameRef name,
    TracedProcess process,
    long count,
    long meanNanos,
    long meanSelfNanos,
    long p95Nanos) {

  /**
   * All of a run: the name with the most time first, and for each name the process with the longest
   * mean. Computed with each call, since the page does not use it.
   */
  static List<WorkerSpanRow> of(RunTotals run) {
    List<WorkerSpanRow> rows = new ArrayList<>();
    for (WorkerSpans row : run.workerSpans()) {
      rows.add(
          new WorkerSpanRow(
              new ReportContents.NameRef(row.name(), run.spans().names().text(row.name())),
              run.spans().processes().get(row.process()),
              row.count(),
              row.meanNanos(),
              row.meanSelfNanos(),
              row.p95Nanos()));
    }
    return rows;
  }
}
