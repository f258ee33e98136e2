package io.rollotel.traces.report;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** The report on planted spans, as of one run without files. */
final class PlantedReport {

  private PlantedReport() {}

  /** The text, with single spaces. */
  static String printed(Planted planted) {
    StringWriter text = new StringWriter();
    report(planted).print(new ReportWriter(text));
    return text.toString().replaceAll("\\s+", " ");
  }

  static String json(Planted planted) {
    StringWriter json = new StringWriter();
    report(planted).writeJson(new PrintWriter(json));
    return json.toString();
  }

  private static RunReport report(Planted planted) {
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    return RunReport.ofNewest(
        List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of()));
  }
}
