package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.file.ForeignFile;
import io.rollotel.traces.file.ForeignFiles;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.otlp.ReadFailure;
import io.rollotel.traces.otlp.UnreadableLine;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The files, and the other runs in them, in a report. */
final class FilesText {

  static final int RUN_ID_COLUMNS = 36;
  private static final int MAX_OTHER_RUNS = 10;

  private static final int MAX_LOOKED_AT = 10;

  /** A scheme of more than one letter, which a drive has. */
  private static final Pattern ELSEWHERE = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+:/");

  private final ReportWriter out;

  private final ForeignFiles foreign = new ForeignFiles();

  FilesText(ReportWriter out) {
    this.out = out;
  }

  void noSuchRun(List<Path> where, String runId) {
    out.printf("No run %s in %s.%n", TextFormat.text(runId, RUN_ID_COLUMNS), places(where));
  }

  /** What to print if there are no spans: unreadable files first, then likely reasons. */
  void noSpans(List<Path> where, ReadSummary summary) {
    List<Path> files = summary.files();
    out.printf("No spans found in %s.%n", places(where));
    if (!files.isEmpty()) {
      out.printf(
          "Read %s, the first: %s%n", count(files.size(), "file", "files"), shown(files.get(0)));
    } else if (summary.isOfNothing()) {
      out.println(ReadSummary.NO_FILE);
    }
    leftOut(summary);
  }

  /** The likely reasons for having no spans: files of another form, or a run without the agent. */
  void guess(ReadSummary summary, boolean isAfterMore) {
    if (foreign.hasAny()) {
      return; // printed above
    }
    if (summary.firstUnreadable().stream()
        .anyMatch(line -> line.reason().equals(ReadFailure.NO_PERMISSION))) {
      return; // spans may be in it
    }
    if (isAfterMore) {
      out.println();
    }
    for (Path file : summary.files().subList(0, Math.min(MAX_LOOKED_AT, summary.files().size()))) {
      String reason = ForeignFile.reason(file);
      reason = reason == null ? ForeignFile.snakeCase(file) : reason;
      if (reason != null) {
        out.println(reason);
        return;
      }
    }
    out.println("Was the program started with -javaagent:roll-otel-agent.jar and");
    out.println("ROLL_OTEL_ENABLED=1? If its output went elsewhere, name that directory. If it");
    out.println("sets an OpenTelemetry SDK of its own, its spans are where that SDK sends them.");
  }

  /** As a report names them. */
  static String places(List<Path> where) {
    return where.stream()
        .map(place -> isElsewhere(place) ? place : place.toAbsolutePath().normalize())
        .map(FilesText::shown)
        .collect(Collectors.joining(", "));
  }

  /** A path as users write it: that of another file system has lost a slash as a {@link Path}. */
  static String shown(Path path) {
    String text = path.toString();
    return isElsewhere(path) ? text.replaceFirst(":/", "://") : text;
  }

  /** Whether it is of another file system, as the report on Spark reads them. */
  private static boolean isElsewhere(Path path) {
    return ELSEWHERE.matcher(path.toString()).lookingAt();
  }

  /** Duplicates and lines that could not be read. */
  void leftOut(ReadSummary summary) {
    if (isLeftOut(summary)) {
      out.println();
      listLeftOut(summary);
    }
  }

  private static boolean isLeftOut(ReadSummary summary) {
    return summary.duplicates() + summary.tornLines() + summary.unreadableLines() != 0;
  }

  /** The same without an empty line before. */
  void listLeftOut(ReadSummary summary) {
    if (!isLeftOut(summary)) {
      return;
    }
    out.sentence(
        "All files: %s left out; %s and %s skipped",
        count(summary.duplicates(), "duplicate span", "duplicate spans"),
        count(summary.tornLines(), "truncated line", "truncated lines"),
        count(summary.unreadableLines(), "unreadable line", "unreadable lines"));
    for (UnreadableLine line : summary.firstUnreadable()) {
      UnreadableLine judged = foreign.judged(line);
      if (line.equals(judged)) {
        String text = line.place() + ": " + line.reason();
        out.println("  " + TextFormat.beginning(text, out.columns() - 6));
      } else if (judged != null) {
        out.println("  " + judged.file() + ": " + judged.reason());
      }
    }
    long unnamed = summary.unreadableLines() - summary.firstUnreadable().size();
    boolean isOneForeignFile = summary.files().size() == 1 && foreign.has(summary.files().get(0));
    if (unnamed != 0 && !isOneForeignFile) {
      out.println("  and " + unnamed + " more");
    }
  }

  /** Names the runs that are not shown, given the latest first. */
  void otherRuns(List<FoundRun> others) {
    if (others.isEmpty()) {
      return;
    }
    out.println();
    out.println("Other runs there (--run ID shows one):");
    for (FoundRun run : others.subList(0, Math.min(others.size(), MAX_OTHER_RUNS))) {
      out.printf(
          "  %s, started %s, %s%n",
          TextFormat.text(run.id(), RUN_ID_COLUMNS),
          TextFormat.start(run.startEpochNanos()),
          run.spans() == 0 ? "no span has ended" : count(run.spans(), "span", "spans"));
    }
    if (others.size() > MAX_OTHER_RUNS) {
      out.println("  and " + (others.size() - MAX_OTHER_RUNS) + " older");
    }
  }
}
