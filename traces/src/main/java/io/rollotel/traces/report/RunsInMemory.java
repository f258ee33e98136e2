package io.rollotel.traces.report;

import io.rollotel.traces.analysis.ClockCorrection;
import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.FoundTraces;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.RunWork;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.RunDates;
import io.rollotel.traces.spans.RunParts;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.VirtualTimes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs whose spans are all in memory. */
final class RunsInMemory implements ReadRuns {

  private final Spans spans;
  private final OpenSpans open;
  private final String stepName;
  private final ClockCorrection clocks;
  private final List<FoundRun> runs;

  /** Created on first use; one for all runs. */
  private @Nullable SpanTree tree;

  /** Created on first use, if there are several runs. */
  private @Nullable RunParts parts;

  /** Completes the spans from the files, as far as possible. */
  RunsInMemory(Spans spans, OpenSpans open, ReportOptions options) {
    this.spans = spans;
    this.open = open;
    this.stepName = options.stepName();
    spans.joinRuns();
    RunDates.undate(spans);
    LostParents.replace(spans, open.asSpans());
    this.clocks = ClockCorrection.of(spans, options.isClockCorrected());
    VirtualTimes.stretch(spans);
    this.runs = runs();
  }

  private List<FoundRun> runs() {
    int step = spans.findName(stepName);
    int[] counts = new int[spans.runs().size()];
    long[] starts = new long[counts.length];
    long[] ends = new long[counts.length];
    BitSet withSteps = new BitSet();
    for (int i = 0; i < spans.size(); i++) {
      int run = spans.run(i);
      if (spans.name(i) == step && !spans.isDispatch(i) && spans.isTimed(i)) {
        withSteps.set(run);
      }
      if (spans.isVirtual(i)) {
        continue;
      }
      counts[run]++;
      if (spans.isTimed(i)) {
        starts[run] = starts[run] == 0 ? spans.start(i) : Math.min(starts[run], spans.start(i));
        ends[run] = Math.max(ends[run], spans.end(i));
      }
    }
    List<FoundRun> runs = new ArrayList<>();
    for (int run = 0; run < counts.length; run++) {
      if (counts[run] != 0) {
        runs.add(
            new FoundRun(
                run,
                spans.runs().text(run),
                starts[run],
                ends[run],
                counts[run],
                withSteps.get(run),
                spans.joinedRuns(run)));
      }
    }
    runs.sort(FoundRun.LATEST_FIRST);
    return runs;
  }

  @Override
  public List<FoundRun> all() {
    return runs;
  }

  @Override
  public RunTotals totals(FoundRun run) {
    if (runs.size() == 1
        || 2 * run.spans() > spans.size()) { // a copy would take more memory than it saves time
      return inMemory(run).totals();
    }
    RunParts known = parts == null ? new RunParts(spans) : parts;
    parts = known;
    Spans ofRun = known.of(run.number());
    return analysis(ofRun, new SpanTree(ofRun), run).totals();
  }

  @Override
  public FoundTraces find(FoundRun run, String prefix) {
    return FoundTraces.of(spans, prefix, run.number());
  }

  @Override
  public @Nullable RunAnalysis withTrace(FoundRun run, String traceId) {
    throw new IllegalStateException("all spans are in memory");
  }

  @Override
  public <T> T each(FoundRun run, RunWork<T> work) {
    throw new IllegalStateException("all spans are in memory");
  }

  @Override
  public RunAnalysis traces(FoundRun run, Set<String> traceIds, SpanTags tags) {
    throw new IllegalStateException("all spans are in memory");
  }

  @Override
  public boolean areInMemory() {
    return true;
  }

  @Override
  public RunAnalysis inMemory(FoundRun run) {
    SpanTree all = tree == null ? new SpanTree(spans) : tree;
    tree = all;
    return analysis(spans, all, run);
  }

  private RunAnalysis analysis(Spans of, SpanTree itsTree, FoundRun run) {
    return new RunAnalysis(
        of, itsTree, run.number(), stepName, clocks.ofRun(run.number()), open.ofRuns(run.ids()));
  }
}
