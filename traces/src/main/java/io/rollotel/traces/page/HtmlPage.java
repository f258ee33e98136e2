package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.report.ComparisonReport;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.exc.JacksonIOException;

/**
 * A run as one page for a browser, which needs no other files and no network. It has at most 20 MB,
 * however many spans there are; the attributes of spans that it shows individually are kept in
 * memory while it is written.
 */
public final class HtmlPage {

  private final RunReport report;
  private final ReportOptions options;

  private final @Nullable PageBaseline baseline;

  private HtmlPage(RunReport report, ReportOptions options, @Nullable PageBaseline baseline) {
    this.report = report;
    this.options = options;
    this.baseline = baseline;
  }

  /**
   * Reads a run, as {@link RunReport#read} does.
   *
   * @throws IOException if a directory cannot be read
   */
  public static HtmlPage read(List<Path> where, ReportOptions options) throws IOException {
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    return new HtmlPage(RunReport.read(where, options, spans), options, null);
  }

  /** The page of a run that is not in memory: it has details of chosen traces. */
  public static HtmlPage ofParts(RunReport report, ReportOptions options) {
    return new HtmlPage(report, options, null);
  }

  /** The page of spans that were read elsewhere, with {@link PageTags}. */
  static HtmlPage of(Spans spans, ReportOptions options) {
    return of(spans, new OpenSpans(List.of()), options);
  }

  /** The same with spans that have not ended. */
  static HtmlPage of(Spans spans, OpenSpans open, ReportOptions options) {
    return new HtmlPage(RunReport.ofNewest(List.of(), options, spans, open), options, null);
  }

  /**
   * The same page, beside another run.
   *
   * @param comparison of this run against that one
   */
  public HtmlPage against(RunReport otherRun, ComparisonReport comparison) {
    return new HtmlPage(report, options, new PageBaseline(otherRun, comparison));
  }

  /** The page of another run that was read with this one. */
  public HtmlPage ofRun(String runId) {
    return new HtmlPage(report.ofRun(runId), options.withRun(runId), null);
  }

  /** What was read. */
  public RunReport report() {
    return report;
  }

  /**
   * Writes the page; does not close the stream.
   *
   * @throws IllegalStateException if the report is empty
   * @throws IOException if it cannot be written
   */
  public void write(OutputStream to) throws IOException {
    report.contents(); // throws if there is none
    Writer out = new BufferedWriter(new OutputStreamWriter(to, UTF_8), 1 << 16);
    PageTemplate template = PageTemplate.load();
    out.write(template.beforeData(PageTemplate.NO_NETWORK));
    try {
      PageLimits limits = baseline == null ? PageLimits.FILE : PageLimits.COMPARED;
      writeData(report, baseline, options, limits, 0, new PageText(out));
    } catch (JacksonIOException e) {
      throw e.getCause(); // it is wrapped in an unchecked exception
    }
    out.write(template.afterData());
    out.flush();
  }

  static void writeData(
      RunReport report,
      @Nullable PageBaseline baseline,
      ReportOptions options,
      PageLimits limits,
      long leftOutBytes,
      PageText out) {
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      PageJson.write(report, baseline, options, limits, leftOutBytes, json, out);
    }
  }
}
