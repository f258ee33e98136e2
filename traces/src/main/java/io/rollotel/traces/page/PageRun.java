package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.report.FindingRow;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The run of a page: the sums of all its spans, and the details, which are the spans that the page
 * shows individually. For a run in memory, details are all spans. For a run in parts, they are
 * chosen traces: those that the report names, the longest step of each bar of the chart, and an
 * even sample. The page's figures for the whole run are not computed from them.
 */
final class PageRun {

  /** How many traces of agents' runs are wanted: those of the latest runs. */
  private static final int AGENT_RUNS = 200;

  private final ReportContents contents;
  private final PageLimits limits;
  private final RunAnalysis details;
  private final PageSpans placed;
  private final PageNumbers numbers;
  private final PageOpen open;

  /** Null if the details are all spans. */
  private final @Nullable PageSums sums;

  /** Where each trace's spans begin among the details' members; empty if not needed. */
  private final int[] firstOfTrace;

  /** How many traces the details have. */
  private final int traces;

  private PageRun(
      ReportContents contents,
      PageLimits limits,
      RunAnalysis details,
      int maxItems,
      @Nullable PageSums sums) {
    this.contents = contents;
    this.limits = limits;
    this.details = details;
    this.sums = sums;
    int[] members = details.members();
    Spans spans = details.spans();
    this.firstOfTrace = new int[sums == null ? 0 : spans.traces()];
    int counted = 0;
    for (int i = 0; sums != null && i < members.length; i++) {
      if (i == 0 || spans.trace(members[i]) != spans.trace(members[i - 1])) {
        firstOfTrace[spans.trace(members[i])] = i;
        counted++;
      }
    }
    this.traces = counted;
    List<Workers.Worker> workers =
        contents.workers().stream().map(ReportContents.WorkerRow::worker).toList();
    this.placed = new PageSpans(details, workers, maxItems);
    this.numbers =
        sums == null
            ? new PageNumbers(contents, placed, limits.names())
            : new PageNumbers(contents, limits.names(), this::itemOfRow);
    this.open = new PageOpen(contents, numbers, placed.items());
  }

  /**
   * The run that a report shows.
   *
   * @param runs how many runs the page has
   */
  static PageRun of(RunReport report, PageLimits limits, int runs) {
    return report.isInMemory()
        ? ofWhole(report, limits, limits.items())
        : ofParts(report, limits, Math.min(limits.items(), PageLimits.detailsInMemory() / runs));
  }

  static PageRun ofWhole(RunReport report, PageLimits limits, int maxItems) {
    return new PageRun(report.contents(), limits, report.analysis(), maxItems, null);
  }

  /**
   * The same for a run that is not in memory.
   *
   * @param maxSpans the maximum number of details
   */
  static PageRun ofParts(RunReport report, PageLimits limits, long maxSpans) {
    ReportContents contents = report.contents();
    List<String> named = named(contents);
    List<String> longest = longestSteps(contents, limits);
    Set<String> wanted = new HashSet<>(named);
    wanted.addAll(longest);
    PageSums sums = report.eachPart(PageSums.Frame.of(contents, limits, wanted));
    Set<String> chosen = sums.chosen(named, longest, maxSpans);
    long tagBytes = Math.min(limits.tagBytes(), maxSpans * PageLimits.DETAIL_TAG_BYTES);
    RunAnalysis details = report.traces(chosen, new SpanTags(new PageTags(tagBytes)));
    return new PageRun(contents, limits, details, limits.items(), sums);
  }

  /** The traces that the report names, those of findings first. */
  private static List<String> named(ReportContents contents) {
    Spans spans = contents.totals().spans();
    Set<String> ids = new LinkedHashSet<>();
    Stream.of(
            contents.findings().stream().map(FindingRow::evidence).flatMap(List::stream),
            contents.steps().slowest().stream().map(step -> contents.span(step.span())),
            contents.slowestSpans().stream(),
            contents.failures().stream().map(ReportContents.FailureRow::first),
            contents.fanOuts().stream().map(row -> row.stragglers().get(0).worstSpan()),
            contents.unended().stream().map(ReportContents.UnendedRow::first),
            contents.overlapped().stream().map(ReportContents.WorkRow::longest),
            lostCalls(contents),
            ends(contents),
            agentRuns(contents))
        .flatMap(rows -> rows)
        .map(SpanRow::number)
        .map(spans::traceIdOf)
        .forEach(ids::add);
    return List.copyOf(ids);
  }

  private static Stream<SpanRow> lostCalls(ReportContents contents) {
    ReportContents.LostCalls lost = contents.lostCalls();
    return lost == null ? Stream.of() : lost.names().stream().map(ReportContents.LostName::first);
  }

  /** The first step and the last. */
  private static Stream<SpanRow> ends(ReportContents contents) {
    List<Steps.Step> steps = contents.steps().all();
    return steps.isEmpty()
        ? Stream.of()
        : Stream.of(steps.get(0), steps.get(steps.size() - 1))
            .map(step -> contents.span(step.span()));
  }

  private static Stream<SpanRow> agentRuns(ReportContents contents) {
    List<ReportContents.AgentRunRow> runs = contents.agentRuns();
    return runs.subList(Math.max(0, runs.size() - AGENT_RUNS), runs.size()).stream()
        .map(ReportContents.AgentRunRow::span)
        .filter(Objects::nonNull);
  }

  /**
   * The trace of the longest step of each bar, in a pseudo-random order, so that those for which
   * there is room cover the whole run. If two runs are compared, bars with the same label have the
   * same position: a step of one run is shown if the other's is.
   */
  private static List<String> longestSteps(ReportContents contents, PageLimits limits) {
    List<Steps.Step> longest =
        PageSteps.groups(contents.steps().all(), limits).stream().map(PageSteps::longest).toList();
    return IntStream.range(0, longest.size())
        .boxed()
        .sorted(Comparator.comparingLong(bar -> lot(longest.get(bar).label(), bar)))
        .map(bar -> contents.totals().spans().traceIdOf(longest.get(bar).span()))
        .distinct()
        .toList();
  }

  private static long lot(String label, int bar) {
    return TraceChoice.lot(label.isEmpty() ? bar : label.hashCode());
  }

  ReportContents contents() {
    return contents;
  }

  /** The spans that are shown individually. */
  RunAnalysis details() {
    return details;
  }

  PageSpans placed() {
    return placed;
  }

  PageNumbers numbers() {
    return numbers;
  }

  PageOpen open() {
    return open;
  }

  long startEpochNanos() {
    return contents.header().startEpochNanos();
  }

  /** Whether every span of the run that has a time is an item of its own. */
  boolean isEverySpan() {
    return sums == null && placed.isEverySpan();
  }

  PageDurations durations() {
    return sums == null ? new PageDurations(details, numbers, limits.names()) : sums.durations();
  }

  PageCalls calls() {
    return sums == null ? PageCalls.ofWhole(details) : sums.calls();
  }

  HeatCells heat(HeatGrid grid) {
    return sums == null ? HeatCells.ofWhole(grid, details) : sums.heat();
  }

  RequestSums requests(RequestSums.Frame frame) {
    RequestSums known = sums == null ? null : sums.requests();
    return known == null ? new RequestSums(frame, details) : known;
  }

  /** How many spans have a parent that has not ended. */
  long openParents() {
    return sums == null ? open.parents().count(details) : sums.openParents();
  }

  /** The item of a request's root. */
  int item(RequestSums.Request request) {
    return sums == null
        ? placed.item(request.root())
        : item(request.traceId(), HexIds.toLong(request.spanId()));
  }

  private int itemOfRow(int row) {
    int detail = detailOfRow(row);
    return detail < 0 ? -1 : placed.item(detail);
  }

  /** The number, among the details, of a span that the report names; -1 if it is not among them. */
  int detailOfRow(int row) {
    if (sums == null) {
      return row;
    }
    Spans all = contents.totals().spans();
    return all.isVirtual(row) ? -1 : detail(all.traceIdOf(row), all.id(row));
  }

  private int item(String traceId, long spanId) {
    int detail = detail(traceId, spanId);
    return detail < 0 ? -1 : placed.item(detail);
  }

  private int detail(String traceId, long spanId) {
    Spans spans = details.spans();
    int trace = spans.findTrace(traceId);
    int[] rows = details.members();
    for (int i = trace < 0 ? rows.length : firstOfTrace[trace]; i < rows.length; i++) {
      if (spans.trace(rows[i]) != trace) {
        break;
      }
      if (spans.id(rows[i]) == spanId) {
        return rows[i];
      }
    }
    return -1;
  }

  /** The share of the run's spans in the details, if they are not all. */
  void writeSelection(JsonRows json) {
    PageSums of = sums;
    if (of != null) {
      Spans spans = details.spans();
      json.object(
          "selection",
          () ->
              json.put("traces", traces)
                  .put("ofTraces", of.traces().traces())
                  .put("spans", details.members().length)
                  .put("timed", Arrays.stream(details.members()).filter(spans::isTimed).count()));
    }
  }
}
