package io.rollotel.traces.report;

import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.FoundTraces;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of a run went: its steps and their phases, the critical path, the workers, and for
 * each span name how often and how long.
 *
 * <p>A run consists of the processes that share the resource attribute {@code roll.run_id}, and
 * those that share traces with them. Processes without a run form the run {@code -}. Not for use by
 * several threads at once.
 */
public final class RunReport {

  private static final int ID_DIGITS = 32;

  private final List<Path> where;
  private final ReportOptions options;
  private final ReadSummary summary;
  private final ReadRuns read;

  /** Of all runs. */
  private final OpenSpans open;

  /** Of runs in parts. */
  private final long mostProfileBytes;

  /** Null if there is nothing to show. */
  private final @Nullable FoundRun shown;

  // Created on first use; the analysis only if all spans are in memory.
  private @Nullable RunTotals totals;
  private @Nullable RunAnalysis analysis;

  /** Created on first use. */
  private @Nullable ReportContents contents;

  /** Read on first use, because that takes as long as everything else. */
  private @Nullable RunProfile profile;

  private boolean isProfileRead;

  /** Made on first request, if there is a query. */
  private @Nullable WhereRows matching;

  private @Nullable String runWithTrace;

  /** The runs of which no span has ended. */
  private final NoneEnded noneEnded;

  private RunReport(
      List<Path> where, ReportOptions options, ReadSummary summary, ReadRuns read, OpenSpans open) {
    this(where, options, summary, read, open, 0);
  }

  private RunReport(
      List<Path> where,
      ReportOptions options,
      ReadSummary summary,
      ReadRuns read,
      OpenSpans open,
      long mostProfileBytes) {
    this.where = where;
    this.options = options;
    this.summary = summary;
    this.read = read;
    this.open = open;
    this.mostProfileBytes = mostProfileBytes;
    String wanted = options.runId();
    this.shown =
        wanted == null ? ShownRun.latest(read.all(), open) : ShownRun.called(wanted, read.all());
    Set<String> ended =
        read.all().stream().flatMap(run -> run.ids().stream()).collect(Collectors.toSet());
    this.noneEnded = new NoneEnded(open.notOfRuns(ended), options);
  }

  /**
   * Reads all runs below some directories.
   *
   * @param where directories or files as {@link TracesReader#read} takes them
   * @throws java.nio.file.NoSuchFileException if a path does not exist
   * @throws IOException if a directory cannot be read; unreadable files in it are reported
   */
  public static RunReport read(List<Path> where, ReportOptions options) throws IOException {
    return read(where, options, new Spans(options.tags(null)));
  }

  public static RunReport read(List<Path> where, ReportOptions options, Spans spans)
      throws IOException {
    TracesReader reader = TracesReader.ofSeveralThreads(spans.attributesRead(), options.progress());
    ReadSummary summary;
    try {
      summary = reader.read(where, spans::add);
    } finally {
      options.progress().end();
    }
    spans.joinCalls(reader.joins());
    OpenSpans open = new OpenSpans(reader.recordings()).joined(reader.joins());
    return new RunReport(where, options, summary, new RunsInMemory(spans, open, options), open);
  }

  /**
   * Reports on runs that do not fit into memory.
   *
   * @param mostProfileBytes the maximum size of recordings that are read for a profile; 0 if {@code
   *     runs} are in other JVMs, which have no recordings
   * @throws UncheckedIOException if the parts cannot be read
   */
  public static RunReport ofParts(
      List<Path> where,
      ReportOptions options,
      ReadSummary summary,
      PartedRuns runs,
      OpenSpans open,
      long mostProfileBytes) {
    RunsInParts parts = new RunsInParts(runs);
    return new RunReport(where, options, summary, parts, open, mostProfileBytes);
  }

  /** The newest part of the files of an active run; does not report unreadable lines. */
  public static RunReport ofNewest(
      List<Path> where, ReportOptions options, Spans spans, OpenSpans open) {
    ReadSummary summary = new ReadSummary(List.of(), spans.size(), 0, 0, 0, List.of());
    return new RunReport(where, options, summary, new RunsInMemory(spans, open, options), open);
  }

  /** Whether there is no span that has ended, or none of the wanted run. */
  public boolean isEmpty() {
    return shown == null;
  }

  /** Whether the run has spans, but all of them are open. */
  public boolean isOpen() {
    return shown == null && noneEnded.isShown();
  }

  /** The latest first. */
  private List<FoundRun> runs() {
    List<FoundRun> openRuns = read.all().isEmpty() ? noneEnded.all() : noneEnded.begun();
    return Stream.concat(read.all().stream(), openRuns.stream())
        .sorted(FoundRun.LATEST_FIRST)
        .toList();
  }

  private boolean isPartlyRead() {
    return summary.duplicates() + summary.tornLines() + summary.unreadableLines() != 0;
  }

  /** Whether a run with this id was read, alone or joined with another. */
  public boolean hasRun(String runId) {
    return ShownRun.called(runId, read.all()) != null;
  }

  /**
   * Another run, from the same files and with the same options.
   *
   * @param runId one that it {@link #hasRun has}
   */
  public RunReport ofRun(String runId) {
    return new RunReport(where, options.withRun(runId), summary, read, open, mostProfileBytes);
  }

  /** Prints the report; if it {@link #isEmpty}, prints what to do about that. Flushes. */
  public void print(ReportWriter out) {
    FilesText files = new FilesText(out);
    List<FoundRun> runs = runs();
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
    } else if (noneEnded.isShown()) {
      noneEnded.print(where, contents(), out);
    } else if (options.runId() != null && !runs.isEmpty()) {
      files.noSuchRun(where, options.runId());
    } else {
      files.noSpans(where, summary);
      List<String> dropped = new OpenSpansText(open).ofDropped();
      dropped.forEach(line -> out.wrapped(ReportWriter.Colour.BAD, line));
      if (dropped.isEmpty()) {
        files.guess(summary, isPartlyRead());
      }
    }
    if (!runs.isEmpty() && !isOpen()) {
      files.leftOut(summary);
    }
    files.otherRuns(shown == null && !isOpen() ? runs : contents().otherRuns());
    out.flush();
  }

  /** Prints which lines and spans of the files were left out, if any. Flushes. */
  public void printLeftOut(ReportWriter out) {
    new FilesText(out).listLeftOut(summary);
    out.flush();
  }

  /**
   * Prints one trace of the run as a tree, with its critical path. Flushes.
   *
   * @param traceId 32 hex digits, or a prefix
   * @return false if the run has no such trace; then nothing is printed
   */
  public boolean printTrace(String traceId, ReportWriter out) {
    // Looking for one by its whole id may end before the last part.
    RunAnalysis part = isOpen() || traceId.length() < ID_DIGITS ? null : traceOf(traceId);
    FoundTraces found = isOpen() || part != null ? null : read.find(run(), traceId);
    String id = found == null || found.isEmpty() ? traceId : found.id();
    part = found == null || found.isEmpty() ? part : traceOf(id);
    Integer trace = part == null ? null : part.findTrace(id);
    if (part == null || trace == null) {
      runWithTrace = found == null ? null : found.otherRun();
      List<String> notEnded = new OpenSpansText(open).ofTrace(traceId);
      notEnded.forEach(line -> out.sentence("Not ended: %s", line));
      out.flush();
      return !notEnded.isEmpty();
    }
    TraceText text = new TraceText(part, trace, out);
    text.print();
    if (found != null) {
      text.printOthers(found, traceId);
    }
    out.flush();
    return true;
  }

  /** The analysis of a trace; null if the run has none with this whole id. */
  private @Nullable RunAnalysis traceOf(String traceId) {
    RunAnalysis part = read.areInMemory() ? analysis() : read.withTrace(run(), traceId);
    return part == null || part.findTrace(traceId) == null ? null : part;
  }

  /** If {@link #printTrace} found nothing: another run that has the trace; null if none has. */
  public @Nullable String runWithTrace() {
    return runWithTrace;
  }

  /** Writes the report as one JSON object, as docs/analysis.md describes it. Flushes. */
  public void writeJson(PrintWriter out) {
    ReportJson.write(contents(), whereRows(), new TraceUrlTemplate(options.traceUrl()), out);
    out.flush();
  }

  /** The spans that the query matches; null if there is none. */
  @Nullable WhereRows whereRows() {
    Query query = options.where();
    if (query != null && matching == null) {
      matching =
          read.areInMemory() || isOpen()
              ? WhereRows.of(isOpen() ? noneEnded.analysis() : analysis(), query)
              : eachPart(new WhereRows.OfParts(query, totals()));
    }
    return matching;
  }

  /** What got slower or faster than in another run, and why, if both have a profile. */
  public ComparisonReport against(RunReport baseline) {
    return new ComparedRuns(baseline, this).report();
  }

  /**
   * The contents of the report.
   *
   * @throws IllegalStateException if the report {@link #isEmpty} and not {@link #isOpen open}
   */
  public ReportContents contents() {
    if (contents == null && isOpen()) {
      contents = noneEnded.contents(runs(), summary);
    } else if (contents == null) {
      contents = new ContentsBuilder(totals(), profile()).contents(runs(), summary, openOf(run()));
    }
    return contents;
  }

  /** All runs that were read, side by side. Reads no profile. */
  public RunsReport allRuns() {
    List<FoundRun> runs = read.all();
    // One after the other, because each analysis holds several arrays as long as its spans.
    return RunsReport.of(
        () ->
            IntStream.range(0, runs.size())
                .mapToObj(i -> contents(runs.get(runs.size() - 1 - i)))
                .iterator());
  }

  private ReportContents contents(FoundRun run) {
    return new ContentsBuilder(read.totals(run), null).contents(List.of(run), summary, openOf(run));
  }

  private OpenSpans openOf(FoundRun run) {
    return open.ofRuns(run.ids());
  }

  /** The size of the recordings that {@link #profile} would read. */
  long profileBytes() {
    return mostProfileBytes == 0 ? 0 : RunProfile.bytes(totals(), summary.files());
  }

  /** The activity of spans' threads; null if nothing was recorded, or too much. */
  public @Nullable RunProfile profile() {
    if (!isProfileRead) {
      if (read.areInMemory()) {
        profile = RunProfile.of(analysis(), summary.files());
      } else if (mostProfileBytes > 0 && profileBytes() <= mostProfileBytes) {
        profile = RunProfile.ofParts(totals(), summary.files(), this::eachPart);
      }
      isProfileRead = true;
    }
    return profile;
  }

  /**
   * All spans of the shown run.
   *
   * @throws IllegalStateException if the report {@link #isEmpty}, or the spans are not all in
   *     memory
   */
  public RunAnalysis analysis() {
    if (analysis == null) {
      analysis = read.inMemory(run());
    }
    return analysis;
  }

  /** Whether {@link #analysis} has all spans; otherwise {@link #eachPart} has some at a time. */
  public boolean isInMemory() {
    return read.areInMemory();
  }

  /** The result of some work on all traces of a run that is not in memory. */
  public <T> T eachPart(RunWork<T> work) {
    return read.each(run(), work);
  }

  /**
   * Chosen traces of a run that is not in memory. Names and processes have the numbers that they
   * have in {@link #contents}.
   *
   * @param tags receives the attributes of their spans
   */
  public RunAnalysis traces(Set<String> traceIds, SpanTags tags) {
    return read.traces(run(), traceIds, tags);
  }

  /** The id of the run; throws if there is none. */
  public String runId() {
    return run().id();
  }

  /** How many other runs were read. */
  public int otherRuns() {
    return read.all().size() - 1;
  }

  private FoundRun run() {
    if (shown == null) {
      throw new IllegalStateException("there is no run");
    }
    return shown;
  }

  /** The sums of the shown run. */
  RunTotals totals() {
    if (totals == null) {
      totals = read.areInMemory() ? analysis().totals() : read.totals(run());
    }
    return totals;
  }
}
