package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.Clocks;
import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs of which no span has ended: they have open spans alone. */
final class NoneEnded {

  private static final int PROCESSES = 20;

  private final OpenSpans open;
  private final ReportOptions options;
  private final Spans numbers = new Spans();
  private final List<FoundRun> all;
  private final @Nullable FoundRun shown;

  /**
   * Finds these runs.
   *
   * @param open the spans of no run of which a span has ended
   */
  NoneEnded(OpenSpans open, ReportOptions options) {
    this.open = open;
    this.options = options;
    open.asSpans().forEach(numbers::add);
    this.all = new RunsInMemory(numbers, OpenSpans.NONE, options).all();
    String wanted = options.runId();
    this.shown = wanted == null ? ShownRun.latest(all, open) : ShownRun.called(wanted, all);
  }

  /** Whether the wanted run is there. */
  boolean isShown() {
    return shown != null;
  }

  private FoundRun run() {
    if (shown == null) {
      throw new IllegalStateException("there is no run");
    }
    return shown;
  }

  private OpenSpans ofRun() {
    return open.ofRuns(run().ids());
  }

  /** The run without a span. */
  RunAnalysis analysis() {
    Spans none = Spans.withNumbersOf(numbers);
    return new RunAnalysis(
        none,
        new SpanTree(none),
        run().number(),
        options.stepName(),
        new Clocks(List.of(), Map.of(), Set.of()),
        ofRun());
  }

  /** These runs, the latest first, as runs without a span. */
  List<FoundRun> all() {
    return all.stream().map(NoneEnded::withoutSpans).toList();
  }

  /** The same without those that have begun no trace: their spans belong to traces of others. */
  List<FoundRun> begun() {
    return all().stream()
        .filter(
            run ->
                open.ofRuns(run.ids()).rows().stream()
                    .anyMatch(row -> row.span().parentSpanId().isEmpty()))
        .toList();
  }

  /**
   * The contents of a report on the shown run.
   *
   * @param runs all that were read, the latest first
   */
  ReportContents contents(List<FoundRun> runs, ReadSummary summary) {
    return new ContentsBuilder(analysis().totals(), null).contents(runs, summary, ofRun());
  }

  private static FoundRun withoutSpans(FoundRun run) {
    return new FoundRun(
        run.number(),
        run.id(),
        run.startEpochNanos(),
        run.endEpochNanos(),
        0,
        run.hasSteps(),
        run.with());
  }

  /**
   * Says which processes have open spans, and whether they are alive.
   *
   * @param where what was read
   */
  void print(List<Path> where, ReportContents contents, ReportWriter out) {
    print(FilesText.places(where), out);
    for (String line : new OpenSpansText(ofRun()).ofDropped()) {
      out.wrapped(ReportWriter.Colour.BAD, "  " + line);
    }
    new FilesText(out).leftOut(contents.files());
    new AgentRunsText(contents, out).print();
    new OpenSpansText(ofRun()).print(out);
  }

  private void print(String places, ReportWriter out) {
    OpenSpans ofRun = ofRun();
    List<Recording> processes =
        ofRun.processes().stream().filter(process -> !process.open().isEmpty()).toList();
    out.sentence(
        "%s open in %s, and none has ended yet:",
        count(ofRun.rows().size(), "span is", "spans are"), places);
    for (Recording process : processes.subList(0, Math.min(processes.size(), PROCESSES))) {
      out.wrapped(
          process.isAlive() ? null : ReportWriter.Colour.BAD,
          String.format(
              Locale.ROOT,
              "  %d on %s, pid %d, which %s",
              process.open().size(),
              OpenSpans.process(process).label(),
              process.pid(),
              process.isAlive()
                  ? "is alive"
                  : (process.hasExited() ? "ended" : "died")
                      + "; its last sign of life was at "
                      + TextFormat.time(process.lastSignEpochNanos())));
    }
    if (processes.size() > PROCESSES) {
      int others = processes.size() - PROCESSES;
      out.println("  and more on " + count(others, "other process", "other processes"));
    }
  }
}
