package io.rollotel.traces.report;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of one run went: its processes and, for each span name, how often and how long.
 *
 * <p>A run is what shares the resource attribute {@code roll.run_id}; spans without it are the run
 * {@code -}. Not for use by several threads at once.
 */
public final class RunReport {

  private static final String NO_RUN_ID = "-";

  private final Path where;
  private final @Nullable String wantedRunId;
  private final ReadSummary summary;

  /** The latest first. */
  private final List<RunTotals> runs;

  private final @Nullable RunTotals shown;
  private final long orphans;

  private RunReport(
      Path where,
      @Nullable String wantedRunId,
      ReadSummary summary,
      List<RunTotals> runs,
      TracesReader reader) {
    this.where = where;
    this.wantedRunId = wantedRunId;
    this.summary = summary;
    this.runs = runs;
    this.shown =
        runs.stream()
            .filter(run -> wantedRunId == null || run.id().equals(wantedRunId))
            .findFirst()
            .orElse(null);
    this.orphans = shown == null ? 0 : shown.orphans(reader::hasRead);
  }

  /**
   * Reads all runs below a directory.
   *
   * @param dir a directory or file as {@link TracesReader#read} takes it
   * @param runId the run to show; null for the latest, which is the one whose first span started
   *     last
   * @throws java.nio.file.NoSuchFileException if there is nothing of this name
   * @throws IOException if the directory cannot be read; files in it that cannot are reported
   */
  public static RunReport read(Path dir, @Nullable String runId) throws IOException {
    Map<String, RunTotals> runs = new HashMap<>();
    TracesReader reader = new TracesReader();
    ReadSummary summary =
        reader.read(
            dir,
            span -> {
              String id = span.resource().text("roll.run_id");
              runs.computeIfAbsent(id.isEmpty() ? NO_RUN_ID : id, RunTotals::new).add(span);
            });
    Comparator<RunTotals> byStart =
        (a, b) -> Long.compareUnsigned(a.startEpochNanos(), b.startEpochNanos());
    List<RunTotals> latestFirst =
        runs.values().stream().sorted(byStart.reversed().thenComparing(RunTotals::id)).toList();
    return new RunReport(dir, runId, summary, latestFirst, reader);
  }

  /** Whether there is nothing to show: no spans, or none of the wanted run. */
  public boolean isEmpty() {
    return shown == null;
  }

  /** Prints the report; where it {@link #isEmpty}, what to do about that. Flushes. */
  public void print(PrintWriter out) {
    ReportText text = new ReportText(out);
    if (shown != null) {
      text.run(shown, orphans);
    } else if (wantedRunId != null && !runs.isEmpty()) {
      text.noSuchRun(where, wantedRunId);
    } else {
      text.noSpans(where, summary.files());
    }
    text.leftOut(summary);
    text.otherRuns(runs.stream().filter(run -> run != shown).toList());
    out.flush();
  }
}
