package io.rollotel.traces.report;

import static io.rollotel.traces.report.Shown.count;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.UnreadableLine;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** The parts of a report as text, made for a terminal of 100 columns. */
final class ReportText {

  // What numbers leave of the line.
  private static final int NAME_COLUMNS = 36;
  private static final int SERVICE_COLUMNS = 24;
  private static final int INSTANCE_COLUMNS = 24;
  private static final int HOST_COLUMNS = 20;
  private static final int PID_COLUMNS = 8;
  private static final int RANK_COLUMNS = 6;
  private static final int RUN_ID_COLUMNS = 36;
  private static final int REASON_COLUMNS = 94;

  private static final int MAX_OTHER_RUNS = 10;

  private final PrintWriter out;

  ReportText(PrintWriter out) {
    this.out = out;
  }

  void run(RunTotals run, long orphans) {
    out.printf(
        "Run %s, started %s, took %s%n", id(run), start(run), Shown.duration(run.wallNanos()));
    out.printf(
        "  %s, %s, %s, %s%n",
        count(run.traces(), "trace", "traces"),
        count(run.spans(), "span", "spans"),
        count(run.processes().size(), "process", "processes"),
        count(run.errors(), "error", "errors"));
    if (orphans != 0) {
      out.printf(
          "  %s not in the file%n",
          count(orphans, "span whose parent is", "spans whose parent is"));
    }
    if (run.endsBeforeStart() != 0) {
      out.printf(
          "  %s before the start, counted as 0 ns%n",
          count(run.endsBeforeStart(), "span that ends", "spans that end"));
    }
    out.println();
    processes(run);
    out.println();
    names(run);
  }

  private void processes(RunTotals run) {
    Table table = new Table("service", "instance", "host", "pid>", "rank>", "spans>");
    for (ProcessTotals process : run.processes().stream().sorted(ProcessTotals.ORDER).toList()) {
      table.row(
          Shown.name(process.serviceName(), SERVICE_COLUMNS),
          Shown.name(process.instanceId(), INSTANCE_COLUMNS),
          Shown.text(process.host(), HOST_COLUMNS),
          Shown.text(process.pid(), PID_COLUMNS),
          Shown.text(process.rank(), RANK_COLUMNS),
          Long.toString(process.spans()));
    }
    table.print(out);
  }

  private void names(RunTotals run) {
    Table table = new Table("span", "count>", "total>", "mean>", "p50>", "p95>", "max>", "errors>");
    Comparator<NameTotals> mostTimeFirst =
        Comparator.comparingLong(NameTotals::totalNanos).reversed();
    for (NameTotals name :
        run.names().stream().sorted(mostTimeFirst.thenComparing(NameTotals::name)).toList()) {
      long[] nanos = name.sortedNanos();
      table.row(
          Shown.name(name.name(), NAME_COLUMNS),
          Integer.toString(name.count()),
          Shown.duration(name.totalNanos()),
          Shown.duration(name.meanNanos()),
          Shown.duration(NameTotals.percentile(nanos, 50)),
          Shown.duration(NameTotals.percentile(nanos, 95)),
          Shown.duration(NameTotals.percentile(nanos, 100)),
          Long.toString(name.errors()));
    }
    table.print(out);
  }

  void noSuchRun(Path where, String runId) {
    out.printf(
        "No run %s in %s.%n",
        Shown.text(runId, RUN_ID_COLUMNS), where.toAbsolutePath().normalize());
  }

  void noSpans(Path where, List<Path> files) {
    out.printf("No spans found in %s.%n", where.toAbsolutePath().normalize());
    if (files.isEmpty()) {
      out.println("There is no file *.jsonl or *.jsonl.gz in it or below.");
    } else {
      out.printf("Read %s, the first: %s%n", count(files.size(), "file", "files"), files.get(0));
    }
    out.println("Was the program started with -javaagent:roll-otel-agent.jar and");
    out.println("ROLL_OTEL_ENABLED=1? If its output went elsewhere, name that directory.");
  }

  /** What stands in the files and in no run. */
  void leftOut(ReadSummary summary) {
    if (summary.duplicates() + summary.tornLines() + summary.unreadableLines() == 0) {
      return;
    }
    out.println();
    out.printf(
        "All files: %s left out; %s and %s skipped%n",
        count(summary.duplicates(), "duplicate span", "duplicate spans"),
        count(summary.tornLines(), "torn line", "torn lines"),
        count(summary.unreadableLines(), "unreadable line", "unreadable lines"));
    for (UnreadableLine line : summary.firstUnreadable()) {
      String place = line.file().getFileName() + ", line " + line.lineNumber() + ": ";
      out.println("  " + Shown.beginning(place + line.reason(), REASON_COLUMNS));
    }
    long unnamed = summary.unreadableLines() - summary.firstUnreadable().size();
    if (unnamed != 0) {
      out.println("  and " + unnamed + " more");
    }
  }

  /** Names the runs that are not shown, given the latest first. */
  void otherRuns(List<RunTotals> others) {
    if (others.isEmpty()) {
      return;
    }
    out.println();
    out.println("Other runs there (--run ID shows one):");
    for (RunTotals run : others.subList(0, Math.min(others.size(), MAX_OTHER_RUNS))) {
      out.printf(
          "  %s, started %s, %s%n", id(run), start(run), count(run.spans(), "span", "spans"));
    }
    if (others.size() > MAX_OTHER_RUNS) {
      out.println("  and " + (others.size() - MAX_OTHER_RUNS) + " older");
    }
  }

  private static String id(RunTotals run) {
    return Shown.text(run.id(), RUN_ID_COLUMNS);
  }

  private static String start(RunTotals run) {
    return run.startEpochNanos() == 0 ? "unknown" : Shown.time(run.startEpochNanos());
  }
}
