package io.rollotel.traces.report;

import io.rollotel.traces.analysis.ClockCorrection;
import io.rollotel.traces.analysis.Comparison;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.profile.Cause;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.MisdatedSpans;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.VirtualTimes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of one run went: its steps and their phases, the critical path, the workers, and,
 * for each span name, how often and how long.
 *
 * <p>A run is what shares the resource attribute {@code roll.run_id}, and what shares traces with
 * it. Where nothing says which run it is, it is the run {@code -}. Not for use by several threads
 * at once.
 */
public final class RunReport {

  /**
   * One of the runs that were read.
   *
   * @param with the other ids that its processes gave it
   */
  public record Run(int number, String id, long startEpochNanos, int spans, List<String> with) {

    /** Whether it is the one of that id, or has become a part of this. */
    boolean isCalled(String runId) {
      return id.equals(runId) || with.contains(runId);
    }
  }

  private final List<Path> where;
  private final ReportOptions options;
  private final ReadSummary summary;

  /** The latest first. */
  private final List<Run> runs;

  private final ClockCorrection clocks;
  private final @Nullable RunAnalysis shown;

  /** Made when it is first asked for. */
  private @Nullable ReportContents contents;

  /** Read when it is first asked for: that takes as long as all else. */
  private @Nullable RunProfile profile;

  private boolean isProfileRead;

  /** Of all runs. */
  private final OpenSpans open;

  private RunReport(
      List<Path> where,
      ReportOptions options,
      ReadSummary summary,
      Spans spans,
      OpenSpans open,
      ClockCorrection clocks) {
    this.open = open;
    this.where = where;
    this.options = options;
    this.summary = summary;
    this.clocks = clocks;
    this.runs = runs(spans);
    String wanted = options.runId();
    Run run = wanted == null ? (runs.isEmpty() ? null : runs.get(0)) : find(wanted);
    this.shown =
        run == null
            ? null
            : new RunAnalysis(
                spans,
                new SpanTree(spans),
                run.number,
                options.stepName(),
                clocks.ofRun(run.number));
  }

  /** Makes whole what was read, as far as that can be; once. */
  private static ClockCorrection mend(Spans spans, List<Span> notEnded, ReportOptions options) {
    spans.joinRuns();
    MisdatedSpans.undate(spans);
    LostParents.replace(spans, notEnded);
    ClockCorrection clocks = ClockCorrection.of(spans, options.isClockCorrected());
    VirtualTimes.stretch(spans);
    return clocks;
  }

  /**
   * Reads all runs below some directories.
   *
   * @param where directories or files as {@link TracesReader#read} takes them
   * @throws java.nio.file.NoSuchFileException if there is nothing of such a name
   * @throws IOException if a directory cannot be read; files in it that cannot are reported
   */
  public static RunReport read(List<Path> where, ReportOptions options) throws IOException {
    return read(where, options, new Spans(options.tags(null)));
  }

  public static RunReport read(List<Path> where, ReportOptions options, Spans spans)
      throws IOException {
    TracesReader reader = new TracesReader(spans.attributesRead(), options.progress());
    ReadSummary summary = new ReadSummary(List.of(), 0, 0, 0, 0, List.of());
    List<Recording> recordings = new ArrayList<>();
    try {
      for (Path dir : where) {
        summary = plus(summary, reader.read(dir, spans::add));
        recordings.addAll(reader.recordings());
      }
    } finally {
      options.progress().end();
    }
    spans.joinCalls(reader.joins());
    OpenSpans open = new OpenSpans(recordings).joined(reader.joins());
    return new RunReport(
        where, options, summary, spans, open, mend(spans, open.asSpans(), options));
  }

  /** The newest part of the files of a run that is still on; says nothing of unreadable lines. */
  public static RunReport ofNewest(
      List<Path> where, ReportOptions options, Spans spans, OpenSpans open) {
    ReadSummary summary = new ReadSummary(List.of(), spans.size(), 0, 0, 0, List.of());
    return new RunReport(
        where, options, summary, spans, open, mend(spans, open.asSpans(), options));
  }

  private static ReadSummary plus(ReadSummary a, ReadSummary b) {
    List<Path> files = new ArrayList<>(a.files());
    files.addAll(b.files());
    List<UnreadableLine> unreadable = new ArrayList<>(a.firstUnreadable());
    unreadable.addAll(b.firstUnreadable());
    return new ReadSummary(
        files,
        a.spans() + b.spans(),
        a.duplicates() + b.duplicates(),
        a.tornLines() + b.tornLines(),
        a.unreadableLines() + b.unreadableLines(),
        unreadable);
  }

  private static List<Run> runs(Spans spans) {
    int[] counts = new int[spans.runs().size()];
    long[] starts = new long[counts.length];
    for (int i = 0; i < spans.size() && !spans.isVirtual(i); i++) {
      int run = spans.run(i);
      counts[run]++;
      if (spans.isTimed(i) && (starts[run] == 0 || spans.start(i) < starts[run])) {
        starts[run] = spans.start(i);
      }
    }
    List<Run> runs = new ArrayList<>();
    for (int run = 0; run < counts.length; run++) {
      if (counts[run] != 0) {
        runs.add(
            new Run(run, spans.runs().text(run), starts[run], counts[run], spans.joinedRuns(run)));
      }
    }
    runs.sort(
        (a, b) ->
            a.startEpochNanos != b.startEpochNanos
                ? Long.compare(b.startEpochNanos, a.startEpochNanos)
                : a.id.compareTo(b.id));
    return runs;
  }

  /** Whether there is nothing to show: no spans, or none of the wanted run. */
  public boolean isEmpty() {
    return shown == null;
  }

  private boolean isPartlyRead() {
    return summary.duplicates() + summary.tornLines() + summary.unreadableLines() != 0;
  }

  /** Whether a run that was read has that id, or has become one with another. */
  public boolean hasRun(String runId) {
    return find(runId) != null;
  }

  /** The run of that id; else the latest of which processes with that id are a part. */
  private @Nullable Run find(String runId) {
    return runs.stream()
        .filter(run -> run.id.equals(runId))
        .findFirst()
        .orElse(runs.stream().filter(run -> run.isCalled(runId)).findFirst().orElse(null));
  }

  /**
   * The same files and options, another run.
   *
   * @param runId one that it {@link #hasRun has}
   */
  public RunReport ofRun(String runId) {
    RunAnalysis any = analysis();
    return new RunReport(where, options.withRun(runId), summary, any.spans(), open, clocks);
  }

  /** Prints the report; where it {@link #isEmpty}, what to do about that. Flushes. */
  public void print(ReportWriter out) {
    FilesText files = new FilesText(out);
    if (shown != null) {
      ReportContents report = contents();
      new SummaryText(report, out).print();
      ProfileRows profile = report.profile();
      if (profile != null) {
        new ProfileText(profile, report.header().processes(), out).print();
      }
      new ReportText(report, out).print();
      WhereRows where = whereRows();
      if (where != null) {
        where.print(out);
      }
      new OpenSpansText(report.open()).print(out);
    } else if (options.runId() != null && !runs.isEmpty()) {
      files.noSuchRun(where, options.runId());
    } else {
      files.noSpans(where, summary);
      new OpenSpansText(open).print(out);
      files.guess(!open.isEmpty() || isPartlyRead());
    }
    if (!runs.isEmpty()) {
      files.leftOut(summary);
    }
    files.otherRuns(shown == null ? runs : contents().otherRuns());
    out.flush();
  }

  /**
   * Prints one trace of the run as a tree, with its critical path. Flushes.
   *
   * @param traceId 32 hex digits, or how the id begins
   * @return false where the run has no such trace: nothing is printed
   */
  public boolean printTrace(String traceId, ReportWriter out) {
    RunAnalysis run = analysis();
    Integer trace = run.findTrace(traceId);
    if (trace != null) {
      new TraceText(run, trace, out).print();
      out.flush();
    }
    return trace != null;
  }

  /**
   * Writes all of the report that has a number as one JSON object, as docs/analysis.md describes
   * it. Flushes.
   */
  public void writeJson(PrintWriter out) {
    ReportJson.write(contents(), whereRows(), new TraceUrlTemplate(options.traceUrl()), out);
    out.flush();
  }

  private @Nullable WhereRows whereRows() {
    Query query = options.where();
    return query == null ? null : new WhereRows(analysis(), query);
  }

  /** What got slower or faster than in another run, and why where both have a profile. */
  public ComparisonReport against(RunReport baseline) {
    Comparison comparison = new Comparison(baseline.analysis(), analysis());
    List<String> slower =
        comparison.changes().stream()
            .filter(change -> change.kind() == Comparison.Kind.NAME && change.isSlower())
            .map(Comparison.Change::name)
            .toList();
    RunProfile before = slower.isEmpty() ? null : baseline.profile();
    RunProfile after = before == null ? null : profile();
    Map<String, Cause> causes = new HashMap<>();
    for (String name : slower) {
      Cause cause = before == null || after == null ? null : after.cause(name, before);
      if (cause != null) {
        causes.put(name, cause);
      }
    }
    return new ComparisonReport(comparison, causes);
  }

  /**
   * What the report says.
   *
   * @throws IllegalStateException where the report {@link #isEmpty}
   */
  public ReportContents contents() {
    if (contents == null) {
      RunAnalysis run = analysis();
      contents = new ContentsBuilder(run, profile()).contents(runs, summary, openOf(run));
    }
    return contents;
  }

  /** All runs that were read, side by side. Reads no profile. */
  public RunsReport allRuns() {
    Spans spans = analysis().spans();
    SpanTree tree = new SpanTree(spans);
    // One after the other: each analysis holds arrays as long as all spans of all runs.
    return RunsReport.of(
        () ->
            IntStream.range(0, runs.size())
                .mapToObj(i -> contents(runs.get(runs.size() - 1 - i), spans, tree))
                .iterator());
  }

  private ReportContents contents(Run run, Spans spans, SpanTree tree) {
    RunAnalysis one =
        new RunAnalysis(spans, tree, run.number, options.stepName(), clocks.ofRun(run.number));
    return new ContentsBuilder(one, null).contents(runs, summary, openOf(one));
  }

  private OpenSpans openOf(RunAnalysis run) {
    Set<String> ids = new HashSet<>(run.joinedRuns());
    ids.add(run.runId());
    return open.ofRuns(ids);
  }

  /** What the threads of spans did; null where nothing was recorded. */
  public @Nullable RunProfile profile() {
    if (!isProfileRead) {
      profile = RunProfile.of(analysis(), summary.files());
      isProfileRead = true;
    }
    return profile;
  }

  /**
   * The run that is shown.
   *
   * @throws IllegalStateException where the report {@link #isEmpty}
   */
  public RunAnalysis analysis() {
    if (shown == null) {
      throw new IllegalStateException("there is no run");
    }
    return shown;
  }
}
