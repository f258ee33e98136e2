package io.rollotel.traces.cli;

import io.rollotel.traces.file.ByteAmount;
import io.rollotel.traces.page.HtmlPage;
import io.rollotel.traces.report.LargeRuns;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads runs into memory, or in parts through files if they are too large. */
final class RunReading implements Closeable {

  private final Main main;
  private final List<Path> all;
  private final List<LargeRuns> opened = new ArrayList<>();

  /** Also if memory ran out before a run was {@link #opened}. */
  private boolean wasReadInParts;

  /** Null until first use. */
  private @Nullable Boolean exceedMemory;

  /**
   * Reads nothing yet.
   *
   * @param all all directories whose runs are needed at once: they are read the same way
   */
  RunReading(Main main, List<Path> all) {
    this.main = main;
    this.all = all;
  }

  /**
   * Reads all runs below some directories.
   *
   * @param purpose the use of the runs
   * @param cacheDir the directory of the files; null to decide by the size of the heap
   */
  RunReport read(
      List<Path> dirs, ReportOptions options, LargeRuns.Purpose purpose, @Nullable Path cacheDir)
      throws IOException {
    return areInParts(cacheDir, /* isForPage= */ false)
        ? inParts(dirs, options, purpose, cacheDir)
        : RunReport.read(dirs, options);
  }

  /**
   * The page of a run. One that is not in memory is read while the page is written.
   *
   * @param purpose whether the page is of one run, or of two that are compared
   * @param cacheDir as in {@link #read}
   */
  HtmlPage page(
      List<Path> dirs, ReportOptions options, LargeRuns.Purpose purpose, @Nullable Path cacheDir)
      throws IOException {
    return areInParts(cacheDir, /* isForPage= */ true)
        ? HtmlPage.ofParts(inParts(dirs, options, purpose, cacheDir), options)
        : HtmlPage.read(dirs, options);
  }

  /** No more runs will be read. */
  void endProgress() {
    opened.forEach(LargeRuns::endProgress);
  }

  /** Explains why, unless the user asked for it. */
  private boolean areInParts(@Nullable Path cacheDir, boolean isForPage) throws IOException {
    if (cacheDir != null) {
      return true;
    }
    if (exceedMemory == null) {
      long heapBytes = isForPage ? LargeRuns.pageHeapBytes(all) : LargeRuns.heapBytes(all);
      exceedMemory = LargeRuns.exceedMemory(heapBytes);
      if (exceedMemory) {
        String ofPage =
            " The page's figures count all spans; it shows the single spans of chosen traces only.";
        PrintWriter err = main.errorLines();
        err.printf(
            Locale.ROOT,
            "The spans take about %s of memory, and the heap is %s: they are read in parts.%s%n",
            ByteAmount.text(heapBytes),
            ByteAmount.text(Runtime.getRuntime().maxMemory()),
            isForPage ? ofPage : "");
        err.flush();
      }
    }
    return exceedMemory;
  }

  private RunReport inParts(
      List<Path> dirs, ReportOptions options, LargeRuns.Purpose purpose, @Nullable Path cacheDir)
      throws IOException {
    wasReadInParts = true;
    PrintWriter err = main.errorLines();
    LargeRuns large =
        LargeRuns.read(
            dirs,
            options,
            purpose,
            cacheDir,
            () -> main.progress(Progress.Unit.ANALYSED),
            note -> {
              err.println(note);
              err.flush();
            });
    opened.add(large);
    return large.report();
  }

  /** What to do about an {@link OutOfMemoryError}. */
  String tooLittleMemory() throws IOException {
    long heap = Runtime.getRuntime().maxMemory();
    long needed = wasReadInParts ? 0 : LargeRuns.heapBytes(all);
    return Main.tooLittleMemory(
        Math.max(needed, 3 * heap / 2),
        wasReadInParts ? "" : ", or with --cache DIR, which needs less");
  }

  @Override
  public void close() throws IOException {
    for (LargeRuns large : opened) {
      large.close();
    }
  }
}
