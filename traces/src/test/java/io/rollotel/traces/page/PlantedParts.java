package io.rollotel.traces.page;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartPasses;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.TraceParts;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.SerializedPasses;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Planted spans in parts, of which a few are in memory at a time. */
record PlantedParts(List<Span> spans, CallJoins joins, int count) implements TraceParts {

  private static final PartedRuns.Options OPTIONS =
      new PartedRuns.Options(
          RunAnalysis.PIPELINE_STEP,
          /* isClockCorrected= */ true,
          /* isCompared= */ false,
          /* threads= */ 2,
          /* mostExact= */ Integer.MAX_VALUE,
          (done, of) -> {});

  /** The report on planted spans in so many parts. */
  static RunReport report(Planted planted, int count) throws IOException {
    return report(planted, count, ReportOptions.latestRun());
  }

  static RunReport report(Planted planted, int count, ReportOptions options) throws IOException {
    PlantedParts parts = of(planted, count);
    PartedRuns runs = new PartedRuns(parts, parts.joins, OpenSpans.NONE, OPTIONS);
    return report(parts, runs, options);
  }

  /** The same as an engine with many JVMs makes it. */
  static RunReport reportOfEngine(Planted planted, int count, ReportOptions options)
      throws IOException {
    PlantedParts parts = of(planted, count);
    PartPasses passes = new SerializedPasses(parts, new Random(count));
    return report(parts, new PartedRuns(passes, parts.joins, OpenSpans.NONE, OPTIONS), options);
  }

  private static RunReport report(PlantedParts parts, PartedRuns runs, ReportOptions options) {
    return RunReport.ofParts(
        List.of(),
        options,
        new ReadSummary(List.of(), parts.spans.size(), 0, 0, 0, List.of()),
        runs,
        OpenSpans.NONE,
        /* mostProfileBytes= */ 0);
  }

  private static PlantedParts of(Planted planted, int count) {
    CallJoins joins = new CallJoins();
    planted.spans().forEach(joins::see);
    return new PlantedParts(planted.spans(), joins, count);
  }

  /** Their page. */
  static HtmlPage page(Planted planted, int count) throws IOException {
    return HtmlPage.ofParts(report(planted, count), ReportOptions.latestRun());
  }

  /** Their page, as an engine with many JVMs makes it. */
  static HtmlPage pageOfEngine(Planted planted, int count) throws IOException {
    ReportOptions options = ReportOptions.latestRun();
    return HtmlPage.ofParts(reportOfEngine(planted, count, options), options);
  }

  private boolean isIn(int part, Span span) {
    return Math.floorMod(joins.traceId(span.traceId()).hashCode(), count) == part;
  }

  @Override
  public void read(int part, Spans to) {
    spans.stream().filter(span -> isIn(part, span)).forEach(to::add);
  }

  @Override
  public List<Span> read(int part, Predicate<String> isWanted) {
    return spans.stream()
        .filter(span -> isIn(part, span) && isWanted.test(span.traceId()))
        .toList();
  }
}
