package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.CallNames;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;

/** Open spans as text: all of them by process, a table of the report, or a few lines. */
public final class OpenSpansText {

  /** Knows what a thread of a process is doing. */
  public interface Stacks {

    /** Lines to print below a span, none where nothing is known. */
    List<String> of(Recording process, OpenSpan span);

    /** Lines to print below a process. */
    List<String> of(Recording process);
  }

  private static final int NAME_COLUMNS = 30;
  private static final int PROCESS_COLUMNS = 26;
  private static final int LISTED = 20;

  private final OpenSpans open;

  public OpenSpansText(OpenSpans open) {
    this.open = open;
  }

  /** The open spans of these recorder files. */
  public static OpenSpansText of(List<Recording> recordings) {
    return new OpenSpansText(new OpenSpans(recordings));
  }

  /** Prints a paragraph for each process, and what it is doing. Flushes. */
  public void print(PrintWriter out, Stacks stacks) {
    for (Recording recording : open.processes()) {
      int spans = recording.open().size();
      out.printf(
          "%s: %s%n",
          heading(recording),
          spans == 0 ? "no span open" : count(spans, "span open", "spans open"));
      for (OpenSpan span : recording.open()) {
        out.printf(
            "  %9s  %-30s  thread %d  trace %s%n",
            TextFormat.duration(recording.ageNanos(span)),
            TextFormat.name(CallNames.called(span.name()), NAME_COLUMNS),
            span.threadId(),
            span.traceId());
        stacks.of(recording, span).forEach(line -> out.println("             " + line));
      }
      if (recording.unrecordedSpans() != 0) {
        out.printf(
            "  %s no room in the recorder since it started%n",
            count(recording.unrecordedSpans(), "other found", "others found"));
      }
      stacks.of(recording).forEach(line -> out.println("  " + line));
    }
    out.flush();
  }

  private static String heading(Recording recording) {
    String name = OpenSpans.process(recording).label() + ", pid " + recording.pid();
    return recording.isAlive()
        ? name + ", alive"
        : name + ", dead, last sign of life " + TextFormat.time(recording.lastSignEpochNanos());
  }

  /** Prints a report's section; nothing where no span is open. */
  void print(PrintWriter out) {
    if (open.isEmpty()) {
      return;
    }
    Table table = new Table("open spans", "for>", "on", "", "trace");
    List<OpenSpans.Row> rows = open.rows();
    for (OpenSpans.Row row : rows.subList(0, Math.min(rows.size(), LISTED))) {
      table.row(
          TextFormat.name(row.name(), NAME_COLUMNS - 6),
          TextFormat.duration(row.ageNanos()),
          TextFormat.text(row.process().label(), PROCESS_COLUMNS),
          row.recording().isAlive() ? "alive" : "dead",
          row.span().traceId());
    }
    out.println();
    table.print(out);
    if (rows.size() > LISTED) {
      out.println("  and " + (rows.size() - LISTED) + " more spans (--json has them)");
    }
  }

  /** A few of them, the longest open first: a line each. */
  public List<String> inWords() {
    return open.rows().stream()
        .sorted(Comparator.comparingLong(OpenSpans.Row::ageNanos).reversed())
        .limit(LISTED)
        .map(
            row ->
                row.name()
                    + " for "
                    + TextFormat.duration(row.ageNanos())
                    + " on "
                    + row.process().label()
                    + (row.recording().isAlive() ? "" : ", which has died"))
        .toList();
  }
}
