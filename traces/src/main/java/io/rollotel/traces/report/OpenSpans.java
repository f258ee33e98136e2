package io.rollotel.traces.report;

import static io.rollotel.traces.report.Shown.count;

import io.rollotel.traces.file.OpenSpan;
import io.rollotel.traces.file.Recording;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** The spans that have not ended, by process, as recorder files tell of them. */
public final class OpenSpans {

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

  private final List<Recording> recordings;

  /** The processes in the order of a report's, each with its spans as it has them. */
  public OpenSpans(List<Recording> recordings) {
    this.recordings =
        recordings.stream()
            .sorted(
                Comparator.comparing(OpenSpans::process, TracedProcess.ORDER)
                    .thenComparing(Recording::file))
            .toList();
  }

  /** Those of one run. */
  OpenSpans ofRun(String runId) {
    return new OpenSpans(
        recordings.stream()
            .filter(
                recording -> Spans.orNoRun(recording.resource().text("roll.run_id")).equals(runId))
            .toList());
  }

  /** Those of a process, the last started first: innermost first. */
  List<Recording> processes() {
    return recordings;
  }

  boolean isEmpty() {
    return recordings.stream().allMatch(recording -> recording.open().isEmpty());
  }

  private static TracedProcess process(Recording recording) {
    return new TracedProcess(TracedProcess.key(recording.resource()), recording.resource());
  }

  /** Prints a paragraph for each process, and what it is doing. Flushes. */
  public void print(PrintWriter out, Stacks stacks) {
    for (Recording recording : recordings) {
      int open = recording.open().size();
      out.printf(
          "%s: %s%n",
          heading(recording), open == 0 ? "no span open" : count(open, "span open", "spans open"));
      for (OpenSpan span : recording.open()) {
        out.printf(
            "  %9s  %-30s  thread %d  trace %s%n",
            Shown.duration(recording.ageNanos(span)),
            Shown.name(span.name(), NAME_COLUMNS),
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
    String name = process(recording).label() + ", pid " + recording.pid();
    return recording.isAlive()
        ? name + ", alive"
        : name + ", dead, last sign of life " + Shown.time(recording.lastSignEpochNanos());
  }

  /** Prints a report's section; nothing where no span is open. */
  void print(PrintWriter out) {
    if (isEmpty()) {
      return;
    }
    Table table = new Table("open spans", "for>", "on", "", "trace");
    int spans = 0;
    for (Recording recording : recordings) {
      for (OpenSpan span : recording.open()) {
        if (spans++ < LISTED) {
          table.row(
              Shown.name(span.name(), NAME_COLUMNS - 6),
              Shown.duration(recording.ageNanos(span)),
              Shown.text(process(recording).label(), PROCESS_COLUMNS),
              recording.isAlive() ? "alive" : "dead",
              span.traceId());
        }
      }
    }
    out.println();
    table.print(out);
    if (spans > LISTED) {
      out.println("  and " + (spans - LISTED) + " more spans (--json has them)");
    }
  }

  /** A few of them, the longest open first: a line each. */
  List<String> inWords() {
    record Line(long ageNanos, String text) {}
    List<Line> lines = new ArrayList<>();
    for (Recording recording : recordings) {
      for (OpenSpan span : recording.open()) {
        long nanos = recording.ageNanos(span);
        String on = process(recording).label() + (recording.isAlive() ? "" : ", which has died");
        lines.add(new Line(nanos, span.name() + " for " + Shown.duration(nanos) + " on " + on));
      }
    }
    return lines.stream()
        .sorted(Comparator.comparingLong(Line::ageNanos).reversed())
        .limit(LISTED)
        .map(Line::text)
        .toList();
  }

  /** Writes the array {@code open}. */
  void write(JsonGenerator json) {
    json.writeArrayPropertyStart("open");
    for (Recording recording : recordings) {
      for (OpenSpan span : recording.open()) {
        json.writeStartObject();
        TracedProcess process = process(recording);
        json.writeStringProperty("service", process.serviceName());
        json.writeStringProperty("instance", process.instanceId());
        json.writeStringProperty("rank", process.rank());
        json.writeStringProperty("host", process.host());
        json.writeNumberProperty("pid", recording.pid());
        json.writeBooleanProperty("alive", recording.isAlive());
        json.writeNumberProperty("lastSignEpochNanos", recording.lastSignEpochNanos());
        json.writeStringProperty("traceId", span.traceId());
        json.writeStringProperty("spanId", span.spanId());
        json.writeStringProperty("parentSpanId", span.parentSpanId());
        json.writeStringProperty("name", span.name());
        json.writeNumberProperty("startEpochNanos", span.startEpochNanos());
        json.writeNumberProperty("ageNanos", recording.ageNanos(span));
        json.writeNumberProperty("thread", span.threadId());
        json.writeEndObject();
      }
    }
    json.writeEndArray();
    json.writeNumberProperty(
        "unrecordedSpans", recordings.stream().mapToLong(Recording::unrecordedSpans).sum());
    json.writeNumberProperty(
        "overwrittenSpans", recordings.stream().mapToLong(Recording::overwrittenSpans).sum());
  }
}
