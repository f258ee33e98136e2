package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.report.ReportContents;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Facts about all spans that a page shows but the report's contents lack: for a part of a run's
 * traces, and added up for the whole run.
 */
final class PageSums implements Serializable {

  /**
   * Facts about the run that are needed first.
   *
   * @param requests null if the run has steps
   * @param wanted the ids of traces that the page uses
   */
  record Frame(
      PageNumbers numbers,
      PageLimits limits,
      PageOpen.Parents open,
      HeatGrid grid,
      RequestSums.@Nullable Frame requests,
      List<Integer> heatNames,
      Set<String> wanted)
      implements RunWork<PageSums> {

    static Frame of(ReportContents contents, PageLimits limits, Set<String> wanted) {
      PageNumbers numbers = new PageNumbers(contents, limits.names());
      return new Frame(
          numbers,
          limits,
          new PageOpen(contents, numbers, 0).parents(),
          new HeatGrid(contents, numbers, limits),
          contents.steps().areTraces() ? RequestSums.Frame.of(contents) : null,
          PageHeat.names(contents),
          wanted);
    }

    @Override
    public PageSums none() {
      return new PageSums(this);
    }

    @Override
    public PageSums of(RunAnalysis part) {
      return new PageSums(this, part);
    }

    @Override
    public void add(PageSums all, PageSums made) {
      all.add(made);
    }
  }

  private final PageDurations durations;
  private final PageCalls calls;
  private final HeatCells heat;

  /** Null if the run has steps. */
  private final @Nullable RequestSums requests;

  private final TraceChoice traces;
  private long openParents;

  private PageSums(Frame frame) {
    this.durations = new PageDurations(frame.numbers.names());
    this.calls = new PageCalls();
    this.heat = HeatCells.none(frame.grid);
    this.requests = frame.requests == null ? null : new RequestSums(frame.requests);
    this.traces = new TraceChoice();
  }

  private PageSums(Frame frame, RunAnalysis part) {
    this.durations = new PageDurations(part, frame.numbers, frame.limits.names());
    this.calls = PageCalls.ofPart(part);
    this.heat = HeatCells.ofPart(frame.grid, part, frame.heatNames);
    this.requests = frame.requests == null ? null : new RequestSums(frame.requests, part);
    this.traces = new TraceChoice(part, frame.wanted);
    this.openParents = frame.open.count(part);
  }

  private void add(PageSums other) {
    durations.add(other.durations);
    calls.add(other.calls);
    heat.add(other.heat);
    if (requests != null && other.requests != null) {
      requests.add(other.requests);
    }
    traces.add(other.traces);
    openParents += other.openParents;
  }

  PageDurations durations() {
    return durations;
  }

  PageCalls calls() {
    return calls;
  }

  HeatCells heat() {
    return heat;
  }

  @Nullable RequestSums requests() {
    return requests;
  }

  TraceChoice traces() {
    return traces;
  }

  /** Chooses traces, as {@link TraceChoice#chosen} does; those of listed requests are named. */
  Set<String> chosen(List<String> named, List<String> further, long maxSpans) {
    List<String> all = new ArrayList<>(named);
    if (requests != null) {
      for (RequestSums.Request request : requests.listed()) {
        traces.want(request.traceId(), requests.spans(request));
        all.add(request.traceId());
      }
    }
    return traces.chosen(all, further, maxSpans);
  }

  /** How many spans have a parent that has not ended. */
  long openParents() {
    return openParents;
  }
}
