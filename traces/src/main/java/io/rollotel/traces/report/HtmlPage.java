package io.rollotel.traces.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * A run as one page for a browser, which needs nothing else and asks nobody. It has at most 20 MB,
 * however many spans there are; attributes are kept in memory while it is made.
 */
public final class HtmlPage {

  private final RunReport report;
  private final ReportOptions options;
  private final PageLimits limits;

  private HtmlPage(RunReport report, ReportOptions options, PageLimits limits) {
    this.report = report;
    this.options = options;
    this.limits = limits;
  }

  /**
   * Reads a run, as {@link RunReport#read} does.
   *
   * @throws IOException if a directory cannot be read
   */
  public static HtmlPage read(List<Path> where, ReportOptions options) throws IOException {
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    return new HtmlPage(RunReport.read(where, options, spans), options, PageLimits.FILE);
  }

  /** What was read. */
  public RunReport report() {
    return report;
  }

  /**
   * Writes the page; does not close the stream.
   *
   * @throws IllegalStateException where the report is empty
   * @throws IOException if it cannot be written
   */
  public void write(OutputStream to) throws IOException {
    RunAnalysis run = report.analysis();
    Writer out = new BufferedWriter(new OutputStreamWriter(to, UTF_8), 1 << 16);
    PageTemplate template = PageTemplate.load();
    out.write(template.beforeData(PageTemplate.NO_NETWORK));
    writeData(run, new ScriptSafe(out));
    out.write(template.afterData());
    out.flush();
  }

  private void writeData(RunAnalysis run, Writer out) {
    try (JsonGenerator json = ReportJson.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      new PageJson(run, report.runs(), report.summary(), options.traceUrl(), limits).write(json);
    }
  }

  /**
   * JSON that can stand within a script element: what could end it, or begin a comment, is written
   * as JSON's escape. Outside of strings JSON has none of these.
   */
  private static final class ScriptSafe extends FilterWriter {

    ScriptSafe(Writer out) {
      super(out);
    }

    @Override
    public void write(int c) throws IOException {
      switch (c) {
        case '<' -> out.write("\\u003c");
        case '>' -> out.write("\\u003e");
        case '&' -> out.write("\\u0026");
        case '\u2028' -> out.write("\\u2028");
        case '\u2029' -> out.write("\\u2029");
        default -> out.write(c);
      }
    }

    @Override
    public void write(char[] chars, int from, int length) throws IOException {
      for (int i = from; i < from + length; i++) {
        write(chars[i]);
      }
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
      for (int i = from; i < from + length; i++) {
        write(text.charAt(i));
      }
    }
  }
}
