package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.CallNames;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Open spans as text: all of them by process, a table of the report, or a few lines. */
public final class OpenSpansText {

  /** Knows the current activity of a process's threads. */
  public interface Stacks {

    /** Lines to print below a span, none if nothing is known. */
    List<String> of(Recording process, OpenSpan span);

    /** Lines to print below a process. */
    List<String> of(Recording process);
  }

  /** The age of a span that began after its process's last sign of life. */
  static final String NO_AGE = "< 500 ms";

  private static final int NAME_COLUMNS = 30;
  private static final int PROCESS_COLUMNS = 40;
  private static final int LISTED = 20;
  private static final int MOST_DEAD = 5;
  private static final int MOST_OF_DEAD = 3;

  private final OpenSpans open;

  public OpenSpansText(OpenSpans open) {
    this.open = open;
  }

  /** The open spans of these recorder files. */
  public static OpenSpansText of(List<Recording> recordings) {
    return new OpenSpansText(new OpenSpans(recordings));
  }

  /** Prints a paragraph for each process with its open spans. Flushes. */
  public void print(PrintWriter out, Stacks stacks) {
    for (Recording recording : open.processes()) {
      int spans = recording.open().size();
      out.printf(
          "%s: %s%n",
          heading(recording),
          spans == 0 ? "no span open" : count(spans, "span open", "spans open"));
      Set<Long> threads = new HashSet<>();
      for (OpenSpan span : recording.open()) {
        out.printf(
            Locale.ROOT,
            "  %9s  %s  thread %d  trace %s%n",
            age(recording, recording.ageNanos(span)),
            ShownWidth.padded(
                TextFormat.spanName(CallNames.called(span.name()), NAME_COLUMNS), NAME_COLUMNS),
            span.threadId(),
            span.traceId());
        if (threads.add(span.threadId())) { // the spans around it have the same stack
          stacks.of(recording, span).forEach(line -> out.println("             " + line));
        }
      }
      if (recording.unrecordedSpans() != 0) {
        out.printf(
            "  %s no room in the recorder since it started%n",
            count(recording.unrecordedSpans(), "other found", "others found"));
      }
      if (recording.droppedSpans() != 0) {
        out.printf(
            "  %s dropped since it started: its stderr says why%n",
            count(recording.droppedSpans(), "span was", "spans were"));
      }
      stacks.of(recording).forEach(line -> out.println("  " + line));
    }
    out.flush();
  }

  private static String heading(Recording recording) {
    String name = OpenSpans.process(recording).label() + ", pid " + recording.pid();
    return recording.isAlive()
        ? name + ", alive"
        : name
            + (recording.hasExited() ? ", ended" : ", dead")
            + ", last sign of life "
            + TextFormat.time(recording.lastSignEpochNanos());
  }

  /** Prints a report's section; nothing if no span is open. */
  void print(ReportWriter out) {
    if (open.isEmpty()) {
      return;
    }
    Table table = new Table("open spans.", "for>", "on~", "", "trace");
    List<OpenSpans.Row> rows = open.rows();
    for (OpenSpans.Row row : rows.subList(0, Math.min(rows.size(), LISTED))) {
      table.row(
          row.recording().isAlive() ? null : ReportWriter.Colour.BAD,
          TextFormat.orDash(row.name()),
          age(row.recording(), row.ageNanos()),
          row.process().label(),
          row.recording().isAlive() ? "alive" : row.recording().hasExited() ? "ended" : "dead",
          row.span().traceId());
    }
    out.println();
    table.print(out);
    out.more(rows.size() - LISTED, "span", "spans");
  }

  /** The open spans of dead processes, innermost first: a line each, and one for those omitted. */
  List<String> ofDead() {
    List<String> lines = new ArrayList<>();
    int more = 0;
    for (Recording recording : open.processes()) {
      if (recording.isAlive() || recording.open().isEmpty()) {
        continue;
      }
      if (lines.size() < MOST_DEAD) {
        lines.add(died(recording));
      } else {
        more++;
      }
    }
    if (more > 0) {
      lines.add(
          "and "
              + count(more, "other process", "other processes")
              + " ended or died with spans open");
    }
    return lines;
  }

  /** How many spans were dropped, and by whom: a line, or none. */
  List<String> ofDropped() {
    List<Recording> dropping = open.dropping();
    if (dropping.isEmpty()) {
      return List.of();
    }
    // One that was killed counts spans that are recovered now.
    String most = dropping.stream().allMatch(Recording::hasExited) ? "" : "up to ";
    return List.of(
        most
            + count(open.dropped(), "span was", "spans were")
            + " dropped, so that counts and times are too low: by "
            + dropping.stream()
                .limit(MOST_DEAD)
                .map(
                    recording ->
                        TextFormat.process(OpenSpans.process(recording), PROCESS_COLUMNS)
                            + " ("
                            + recording.droppedSpans()
                            + ")")
                .collect(Collectors.joining(", "))
            + (dropping.size() > MOST_DEAD
                ? " and " + count(dropping.size() - MOST_DEAD, "other process", "other processes")
                : "")
            + "; their stderr says why");
  }

  /**
   * A process writes its sign of life every half second, so a span may begin after the last one.
   */
  private static String age(Recording recording, long ageNanos) {
    return ageNanos == 0 && !recording.isAlive() ? NO_AGE : TextFormat.duration(ageNanos);
  }

  private static String fate(Recording recording) {
    if (recording.isAlive()) {
      return "";
    }
    return recording.hasExited() ? ", which has ended" : ", which has died";
  }

  private static String died(Recording recording) {
    List<OpenSpan> spans = recording.open();
    return TextFormat.process(OpenSpans.process(recording), PROCESS_COLUMNS)
        + ", pid "
        + recording.pid()
        + (recording.hasExited() ? ", ended with " : ", died with ")
        + count(spans.size(), "span", "spans")
        + " open: "
        + spans.stream()
            .limit(MOST_OF_DEAD)
            .map(
                span ->
                    TextFormat.spanName(CallNames.called(span.name()), NAME_COLUMNS)
                        + " for "
                        + age(recording, recording.ageNanos(span)))
            .collect(Collectors.joining(", "))
        + (spans.size() > MOST_OF_DEAD ? ", ..." : "");
  }

  /**
   * Some of those of a trace: a line each.
   *
   * @param traceId or its first digits
   */
  List<String> ofTrace(String traceId) {
    return inWords(open.rows().stream().filter(row -> row.span().traceId().startsWith(traceId)));
  }

  /** Some of them, the longest open first: a line each. */
  public List<String> inWords() {
    return inWords(open.rows().stream());
  }

  private static List<String> inWords(Stream<OpenSpans.Row> rows) {
    return rows.sorted(Comparator.comparingLong(OpenSpans.Row::ageNanos).reversed())
        .limit(LISTED)
        .map(
            row ->
                row.name()
                    + " for "
                    + age(row.recording(), row.ageNanos())
                    + " on "
                    + row.process().label()
                    + fate(row.recording()))
        .toList();
  }
}
