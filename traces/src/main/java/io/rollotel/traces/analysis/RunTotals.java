package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All sums of a run's traces. Definitions with their formulas are in docs/analysis.md.
 *
 * <p>A {@link RunAnalysis} computes them from traces in memory. The totals of parts add up to those
 * of the whole, in any order and grouping, so a run may be larger than memory. Names, processes and
 * runs have the same numbers in all parts ({@link Spans#withNumbersOf}). Not for use by several
 * threads at once.
 */
public final class RunTotals implements Serializable {

  private final Spans spans;
  private final int run;
  private final Clocks clocks;
  private final RunShape shape;

  /** If there are more durations of a kind than this, their percentiles are estimated. */
  private final int mostExact;

  /** Whether {@link #unitMeans} may be called. */
  private final boolean isCompared;

  private final SpanTotals spanTotals;
  private final Steps steps;
  private final Workers workers;
  private final FanOuts fanOuts;
  private PathShares path;
  private final SlowestSpans slowestSpans;
  private final Problems problems;
  private final AgentRuns agentRuns;
  private final LostExecutions lostExecutions;
  private final Queues queues;
  private final WorkByName overlappedWork;
  private final WorkByName outsideWork;
  private final WorkByName betweenWork;

  // For traces in memory, these are computed on first use.
  private final Lazy<RootTotals> roots;
  private final Lazy<ServiceGraph> services;
  private final Lazy<Map<Long, NameTotals>> workerSums;
  private final Lazy<List<WorkerSpans>> workerSpans;
  private final Lazy<UnitMeans> unitMeans;
  private final Lazy<PeerTimes> peerTimes;
  private final Lazy<List<Finding>> findings;

  /** The sums of the traces that an analysis has in memory. */
  RunTotals(RunAnalysis of) {
    this.spans = of.spans();
    this.run = of.run();
    this.clocks = of.clocks();
    this.shape = of.shape();
    this.mostExact = Integer.MAX_VALUE;
    this.isCompared = true;
    RunTraces in = of.traces();
    this.steps = new Steps(spans, in.waits, shape, in.units, in.rows);
    this.workers = new Workers(spans, in.units, steps, in.members);
    this.fanOuts = new FanOuts(spans);
    fanOuts.find(in, clocks);
    this.path = in.pathShares(steps);
    this.slowestSpans = new SlowestSpans(spans, in.units, in.members);
    this.problems = new Problems(spans, in.tree, in.members);
    OpenAgentRuns openRuns = new OpenAgentRuns(of.open(), clocks);
    this.agentRuns = new AgentRuns(spans, in.tree, run, openRuns);
    if (in.isWhole) {
      agentRuns.addOpen(openRuns);
    }
    this.lostExecutions = new LostExecutions(spans, in.tree, in.members, of.open());
    this.queues = new Queues(spans, in.pairs, in.members);
    this.overlappedWork = WorkByName.overlapped(spans, in.waits, in.members);
    this.outsideWork = WorkByName.outsideSteps(spans, in.tree, in.units, shape, in.members);
    this.betweenWork = WorkByName.betweenSteps(spans, in.tree, in.units, shape, in.members);
    this.spanTotals = new SpanTotals(spans, in, clocks);
    this.roots = new Lazy<>(() -> new RootTotals(spans, in.waits, in.units, path, in.rows));
    this.services = new Lazy<>(() -> ServiceGraph.of(spans, in.tree, in.units, in.members));
    this.workerSums = new Lazy<>(() -> WorkerSpans.sums(spans, in.pairs, in.waits, in.members));
    // One process after the other, so that only the durations of one are held.
    this.workerSpans = new Lazy<>(() -> WorkerSpans.of(spans, in.pairs, in.waits, in.members));
    this.unitMeans = new Lazy<>(() -> new UnitMeans(spans, in.units, in.pairs, in.members));
    this.peerTimes = new Lazy<>(of::peerTimes);
    this.findings = new Lazy<>(() -> Findings.of(this, peerTimes.get(), inMemory(of)));
  }

  private Findings.Traces inMemory(RunAnalysis of) {
    return new Findings.Traces() {
      @Override
      public Replays replay(RunTotals totals, SlowProcesses slow, List<WhatIf> questions) {
        return of.replay(slow, questions);
      }

      @Override
      public EndsDuringWaits endsDuring(SuspectedWaits waits) {
        EndsDuringWaits found = new EndsDuringWaits(spans);
        found.see(of.traces(), spans, clocks, waits);
        return found;
      }
    };
  }

  /**
   * Of no traces yet.
   *
   * @param numbers spans that have the numbers of all names, processes and runs
   * @param shape that of the whole run, with which the parts were analysed
   * @param isCompared whether {@link Comparison} will need more, which takes memory
   * @param mostExact if there are more durations of a kind than this, their percentiles are
   *     estimated, with an error of {@link #percentileError}
   * @param traces all traces of the run, if findings are needed
   */
  RunTotals(
      Spans numbers,
      int run,
      Clocks clocks,
      RunShape shape,
      boolean isCompared,
      int mostExact,
      Findings.Traces traces) {
    this.spans = Spans.withNumbersOf(numbers);
    this.run = run;
    this.clocks = clocks;
    this.shape = shape;
    this.mostExact = mostExact;
    this.isCompared = isCompared;
    this.spanTotals = new SpanTotals();
    this.steps = new Steps(spans, shape);
    this.workers = new Workers(spans, steps);
    this.fanOuts = new FanOuts(spans);
    this.path = PathShares.none(spans, false);
    this.slowestSpans = new SlowestSpans(spans);
    this.problems = new Problems(spans);
    this.agentRuns = new AgentRuns(spans);
    this.lostExecutions = new LostExecutions(spans);
    this.queues = new Queues(spans);
    this.overlappedWork = new WorkByName(spans);
    this.outsideWork = new WorkByName(spans);
    this.betweenWork = new WorkByName(spans);
    this.roots = new Lazy<>(() -> new RootTotals(spans));
    this.services = new Lazy<>(ServiceGraph::new);
    this.workerSums = new Lazy<>(HashMap::new);
    this.workerSpans = new Lazy<>(() -> WorkerSpans.of(spans, workerSums.get()));
    this.unitMeans = new Lazy<>(UnitMeans::new);
    this.peerTimes = new Lazy<>(() -> new PeerTimes(spans));
    this.findings = new Lazy<>(() -> Findings.of(this, peerTimes.get(), traces));
  }

  /** Computes everything that is computed on first use, except for findings. */
  RunTotals complete(boolean withMeans) {
    roots.get();
    services.get();
    workerSums.get();
    if (withMeans) {
      unitMeans.get();
    }
    peerTimes.get();
    return this;
  }

  /** Adds the totals of other traces of the run. Must be called before any result is read. */
  void add(RunTotals part) {
    RowCopies copies = new RowCopies(part.spans, spans);
    spanTotals.add(part.spanTotals, mostExact);
    steps.add(part.steps, copies, mostExact);
    workers.add(part.workers);
    fanOuts.add(part.fanOuts, copies);
    path.add(part.path, copies);
    slowestSpans.add(part.slowestSpans, copies);
    problems.add(part.problems, copies);
    agentRuns.add(part.agentRuns, copies);
    lostExecutions.add(part.lostExecutions, copies);
    queues.add(part.queues, mostExact);
    overlappedWork.add(part.overlappedWork, copies);
    outsideWork.add(part.outsideWork, copies);
    betweenWork.add(part.betweenWork, copies);
    roots.get().add(part.roots.get(), mostExact);
    services.get().add(part.services.get(), mostExact);
    NameTotals.addAll(workerSums.get(), part.workerSums.get(), mostExact);
    if (isCompared) {
      unitMeans.get().add(part.unitMeans.get());
    }
    peerTimes.get().add(part.peerTimes.get(), copies, mostExact);
  }

  /**
   * Adds the agents' runs of which nothing has ended; once, after all parts were added.
   *
   * @param open the spans of the run that have not ended
   */
  void addOpen(OpenSpans open) {
    agentRuns.addOpen(new OpenAgentRuns(open, clocks));
  }

  /** Uses the path of the run instead of those of its steps. */
  void takePathOfRun(PathShares ofRun) {
    path = ofRun;
  }

  /** The spans that the results name, by their numbers; all spans if traces are in memory. */
  public Spans spans() {
    return spans;
  }

  public String runId() {
    return spans.runs().text(run);
  }

  /** The other ids that its processes gave it, the first started first. */
  public List<String> joinedRuns() {
    return spans.joinedRuns(run);
  }

  /** How many spans were read. */
  public long spanCount() {
    return spanTotals.count();
  }

  /** The earliest start of a span, 0 if none has one. */
  public long startEpochNanos() {
    return spanTotals.startEpochNanos();
  }

  /** From the earliest start to the latest end. */
  public long wallNanos() {
    return spanTotals.wallNanos();
  }

  /** Whether any trace represents others. */
  public boolean isWeighted() {
    return shape.isWeighted();
  }

  int mostExact() {
    return mostExact;
  }

  /** The largest relative error of a percentile; 0 if all are exact. */
  public double percentileError() {
    return spanCount() <= mostExact ? 0 : DurationSketch.ERROR; // no name has more durations
  }

  /** By name, the one with the most time first; of calls on Ray the executions. */
  public List<NameTotals> nameTotals() {
    return spanTotals.names();
  }

  /** The same by name and process. */
  public List<WorkerSpans> workerSpans() {
    return workerSpans.get();
  }

  public Steps steps() {
    return steps;
  }

  public Workers workers() {
    return workers;
  }

  /** By name, the most expensive first. */
  public List<FanOuts.Totals> fanOuts() {
    return fanOuts.totals();
  }

  /** The fan-outs of traces in memory. */
  FanOuts fanOutsInMemory() {
    return fanOuts;
  }

  /** How calls to several workers were sent, by name and service. */
  public List<FanOutSends.Totals> sends() {
    return fanOuts.sends().totals();
  }

  /** The straggler that cost a step most; null if it has no fan-out. */
  FanOuts.@Nullable OfStep costliestStraggler(Steps.Step step) {
    return fanOuts.costliest(step.span());
  }

  /** The numbers of the processes that took part in a fan-out. */
  BitSet fanOutProcesses() {
    return fanOuts.processes();
  }

  /** The critical paths of all steps, or that of the run. */
  public PathShares path() {
    return path;
  }

  /** The longest spans below steps or outside, the longest first. */
  public List<Integer> slowestSpans() {
    return slowestSpans.all();
  }

  /** Failed spans, and missing or impossible data in the files. */
  public Problems problems() {
    return problems;
  }

  /** Runs of an agent framework, where the run has any. */
  public AgentRuns agentRuns() {
    return agentRuns;
  }

  /** Calls whose executions were not read, by name. */
  public List<LostExecutions.Lost> lostExecutions() {
    return lostExecutions.all();
  }

  /** How long calls waited, by name, the longest wait first. */
  public List<Queues.Totals> queues() {
    return queues.all();
  }

  /**
   * Work that outlived its step, or on which its caller gave up ({@link AbandonedCalls}): by name,
   * the most time first. It is on no critical path, however long it took.
   */
  public List<WorkOfName> overlappedWork() {
    return overlappedWork.all();
  }

  /**
   * The first spans of traces that belong to no step, but ran between the first step's start and
   * the last one's end: by name, the most time first. No step's path or phases have them, even if a
   * step waited.
   */
  public List<WorkOfName> outsideWork() {
    return outsideWork.all();
  }

  /** The spans beside the steps in their traces, with the time in which no step ran. */
  public List<WorkOfName> betweenWork() {
    return betweenWork.all();
  }

  /** The traces by their root's name, that with the most time first; none if there are steps. */
  public List<RootTotals.Totals> roots() {
    return roots.get().all();
  }

  /** Which service calls which; empty if there are steps. */
  public ServiceGraph serviceGraph() {
    return services.get();
  }

  /** For each name the means of its durations in the steps. */
  UnitMeans unitMeans() {
    if (!isCompared) {
      throw new IllegalStateException("these totals are not for comparison");
    }
    return unitMeans.get();
  }

  /** What costs the run its time: causes with the largest saving first, then the longest phase. */
  public List<Finding> findings() {
    return findings.get();
  }

  /** What is known of the clocks of the run's hosts. */
  public Clocks clocks() {
    return clocks;
  }

  /** Whether spans of that name, or their callers, are on a host with a doubtful clock. */
  public boolean isDoubtful(int name) {
    return spanTotals.isDoubtful(name);
  }
}
