package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.RunsReport;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.exc.JacksonIOException;

/** All runs of some directories as one page, with links to the pages of single runs beside it. */
public final class RunsPage {

  /** How many of the latest runs are listed. */
  private static final int RUNS = 2000;

  /** Longer paths are not shown in commands, because a shell would not accept them. */
  private static final int ID_TEXT = 2000;

  private static final int FINDING_TEXT = 500;
  private static final int FILE_TEXT = 60;

  private final RunsReport runs;
  private final List<Path> dirs;

  /**
   * A page.
   *
   * @param dirs the directories that were read, as the user named it: the page shows commands that
   *     read it again
   */
  public RunsPage(RunsReport runs, List<Path> dirs) {
    this.runs = runs;
    this.dirs = dirs;
  }

  /** The name of the file that holds the page of a run, beside that of all runs. */
  public static String fileOf(String runId) {
    String name = runId.replaceAll("[^a-z0-9_-]+", "_"); // some file systems ignore case
    if (name.length() > FILE_TEXT) {
      name = name.substring(0, FILE_TEXT);
    }
    // Another id may become the same.
    String mark = name.equals(runId) ? "" : String.format(Locale.ROOT, "-%08x", runId.hashCode());
    return "run-" + name + mark + ".html";
  }

  /**
   * Writes the page; does not close the stream.
   *
   * @param folder the page's directory: runs whose page is there have a link; null for no links
   * @throws IOException if it cannot be written
   */
  public void write(OutputStream to, @Nullable Path folder) throws IOException {
    Writer out = new BufferedWriter(new OutputStreamWriter(to, UTF_8), 1 << 16);
    PageTemplate template = PageTemplate.ofRuns();
    out.write(template.beforeData(PageTemplate.NO_NETWORK));
    PageText text = new PageText(out);
    try (JsonGenerator generator =
        JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      generator.writeStartObject();
      write(new JsonRows(generator), folder);
      generator.writeEndObject();
    } catch (JacksonIOException e) {
      throw e.getCause(); // it is wrapped in an unchecked exception
    }
    out.write(template.afterData());
    out.flush();
  }

  private void write(JsonRows json, @Nullable Path folder) {
    List<RunsReport.Row> rows = runs.rows();
    int leftOut = Math.max(0, rows.size() - RUNS);
    json.texts("dirs", dirs.stream().map(Path::toString).toList())
        .put("leftOut", leftOut)
        .rows("runs", rows.subList(leftOut, rows.size()), row -> row(json, row, folder));
  }

  private static void row(JsonRows json, RunsReport.Row row, @Nullable Path folder) {
    ReportContents.Header header = row.header();
    json.put("run", PageTags.cut(header.runId(), ID_TEXT))
        .put("isCut", header.runId().length() > ID_TEXT)
        .put("start", header.startEpochNanos() / 1_000_000)
        .put("wall", header.wallNanos())
        .put("processes", header.processes())
        .put("spans", row.spans())
        .put("errors", header.errorsBegun())
        .put("steps", row.steps())
        .put("median", row.medianStepNanos())
        .putFinite("ratio", row.ratio())
        .put("ratioTo", PageTags.cut(row.ratioTo() == null ? "" : row.ratioTo(), ID_TEXT))
        .put("isTold", row.areStepsTold())
        .put("isSlower", row.areStepsSlower())
        .put("end", row.end())
        .put("isOn", row.isOn())
        .put("died", row.died());
    String finding = row.finding();
    if (finding != null) {
      json.put("finding", PageTags.cut(finding, FINDING_TEXT));
    }
    String file = fileOf(header.runId());
    if (folder != null && Files.exists(folder.resolve(file))) {
      json.put("page", file);
    }
  }
}
