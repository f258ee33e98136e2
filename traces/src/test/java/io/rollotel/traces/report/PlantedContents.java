package io.rollotel.traces.report;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.kit.Planted;
import java.util.List;

/** The contents of a report on planted spans, as if all files were whole. */
final class PlantedContents {

  private PlantedContents() {}

  static ReportContents of(Planted planted) {
    return of(planted.analysisOf(), new OpenSpans(List.of()));
  }

  static ReportContents of(RunAnalysis run, OpenSpans open) {
    ReadSummary files = new ReadSummary(List.of(), 0, 0, 0, 0, List.of());
    return new ContentsBuilder(run.totals(), null).contents(List.of(), files, open);
  }
}
