package io.rollotel.traces.cli;

import io.rollotel.traces.page.HtmlPage;
import io.rollotel.traces.page.RunsPage;
import io.rollotel.traces.report.RunsReport;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The page of all runs, and the pages of single runs beside it. */
final class RunPages {

  /** How many of the latest runs get their own page: each may have 20 MB. */
  private static final int MOST = 20;

  private final RunsReport runs;
  private final List<Path> dirs;
  private final @Nullable Path folder;
  private final Main main;

  /**
   * Pages.
   *
   * @param dirs the directories that were read
   * @param file where the page of all runs will be, beside which others may lie; null for a
   *     temporary directory, where others may have files of this name
   */
  RunPages(RunsReport runs, List<Path> dirs, @Nullable Path file, Main main) {
    this.main = main;
    this.runs = runs;
    this.dirs = dirs;
    this.folder = file == null ? null : file.toAbsolutePath().normalize().getParent();
  }

  /**
   * Writes a page for each of the latest runs.
   *
   * @param any the report of one of the runs
   * @param reading its progress ends before anything is printed
   * @throws IOException if one cannot be written
   */
  void writeEach(HtmlPage any, RunReading reading, PrintWriter out) throws IOException {
    if (folder == null) {
      return; // not a regular file; writing it will report that
    }
    List<RunsReport.Row> rows = runs.rows();
    List<RunsReport.Row> latest = rows.subList(Math.max(0, rows.size() - MOST), rows.size());
    for (RunsReport.Row row : latest) {
      String id = row.header().runId();
      Path file = folder.resolve(RunsPage.fileOf(id));
      OutputFile.makeFolderOf(file);
      PageChoice.Content page = any.ofRun(id)::write;
      Destination.replacing(file, main).write(page);
    }
    reading.endProgress();
    out.printf(
        Locale.ROOT,
        "The pages of single runs: %s (%d of %s)%n",
        folder.resolve("run-*.html"),
        latest.size(),
        rows.size() == 1 ? "1 run" : rows.size() + " runs");
  }

  /** Writes the page of all runs, with links to the pages that exist. */
  void write(OutputStream to) throws IOException {
    new RunsPage(runs, dirs).write(to, folder);
  }
}
