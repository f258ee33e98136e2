package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The traces of a run that are in memory, span by span, and their sums ({@link RunTotals}): the
 * whole run, or a part of its traces. Definitions with their formulas are in docs/analysis.md.
 *
 * <p>Spans, names, processes and runs are numbers of {@link Spans}. Not for use by several threads
 * at once.
 */
public final class RunAnalysis {

  /** What a run's steps are called in ROLL and here. */
  public static final String PIPELINE_STEP = "pipeline_step";

  private final Spans spans;
  private final int run;
  private final Clocks clocks;
  private final OpenSpans open;
  private final RunTraces traces;
  private final SentTimes sentTimes;
  private final RunTotals totals;

  // Only findings use these.
  private final Lazy<Savings> savings;
  private final Lazy<OwnWork> ownWork;

  /**
   * Analyses a run.
   *
   * @param clocks the known facts about its hosts' clocks
   * @param open its spans that have not ended
   */
  public RunAnalysis(
      Spans spans, SpanTree tree, int run, String stepName, Clocks clocks, OpenSpans open) {
    this(
        spans,
        new RunTraces(spans, tree, run, stepName, RunShape.of(spans, run, stepName), true, null),
        run,
        clocks,
        open);
  }

  /** Analyses traces of a run. */
  RunAnalysis(Spans spans, RunTraces traces, int run, Clocks clocks, OpenSpans open) {
    this.spans = spans;
    this.run = run;
    this.clocks = clocks;
    this.open = open;
    this.traces = traces;
    this.sentTimes = new SentTimes(spans, traces.tree, traces.waits);
    this.totals = new RunTotals(this);
    this.savings =
        new Lazy<>(
            () ->
                new Savings(
                    spans, traces.tree, traces.waits, traces.units, totals.steps(), traces.rows));
    this.ownWork = new Lazy<>(() -> new OwnWork(spans, criticalPath(), savings.get()::isOpened));
  }

  /** The sums of the traces. */
  public RunTotals totals() {
    return totals;
  }

  RunTraces traces() {
    return traces;
  }

  int run() {
    return run;
  }

  RunShape shape() {
    return traces.shape;
  }

  /** Spans of the run that have not ended. */
  public OpenSpans open() {
    return open;
  }

  PeerTimes peerTimes() {
    RootWork roots = new RootWork(spans, ownWork.get(), traces.begun(), traces.isWhole);
    List<int[]> fanOuts = totals.fanOutsInMemory().groups();
    NestedTimes nested = new NestedTimes(spans, traces.tree, traces.waits, fanOuts);
    return new PeerTimes(spans, ownWork.get(), fanOuts, nested, roots);
  }

  /** Replays the steps of a run that is in memory. */
  Replays replay(SlowProcesses slow, List<WhatIf> questions) {
    return replay(
        slow, questions, totals.steps().hasPathOfRun() ? new WorkBeside(totals.workers()) : null);
  }

  /**
   * Replays the steps that are in memory.
   *
   * @param beside if the steps of the run overlap, all work in it: then no step is replayed, and
   *     the questions are about sends
   */
  Replays replay(SlowProcesses slow, List<WhatIf> questions, @Nullable WorkBeside beside) {
    Replays found = new Replays(spans, questions.size());
    EarlierSends sends = new EarlierSends(spans, totals.fanOutsInMemory().sends().delayed());
    if (beside != null) {
      for (int i = 0; i < questions.size(); i++) {
        found.seeUndisturbed(i, sends.undisturbed(questions.get(i), beside));
        sends.evidence(questions.get(i), i, found);
      }
      return found;
    }
    StepChanges changes =
        new StepChanges(
            spans,
            ownWork.get(),
            totals.fanOutsInMemory().groups(),
            traces.begun(),
            slow,
            new CollectiveShifts(
                spans, traces.tree, traces.waits, totals.fanOutsInMemory().groups(), slow),
            sends,
            this::isPhase,
            this::waitedForStart,
            this::isFailed,
            found);
    long[] saved = savings.get().nanos(questions.stream().map(changes::of).toList());
    for (int i = 0; i < saved.length; i++) {
      found.save(i, saved[i]);
      int name = questions.get(i).name();
      switch (questions.get(i).kind()) {
        case WITHOUT_QUEUE ->
            found.evidence(
                i,
                members(),
                span -> spans.name(span) == name && !waitedForStart(span) ? waitNanos(span) : 0);
        case HALF_THE_PHASE ->
            found.evidence(
                i,
                members(),
                span -> spans.name(span) == name && isPhase(span) ? spans.nanos(span) : 0);
        case WITHOUT_FAILURES ->
            found.evidence(i, members(), span -> changes.isLost(span) ? spans.nanos(span) : 0);
        case WITHOUT_TAIL ->
            found.evidence(
                i, members(), span -> spans.name(span) == name ? changes.tailNanos(span) : 0);
        case SENT_AT_ONCE, RUN_AT_ONCE -> sends.evidence(questions.get(i), i, found);
        case AS_FAST_AS_PEERS, EVENLY -> {} // the spans of the slow processes show it
      }
    }
    return found;
  }

  /** Whether the process had not begun any span when the call was sent. */
  private boolean waitedForStart(int span) {
    return traces.shape.startingNanos(spans.process(span), sentTimes.of(span), spans.start(span))
        > 0;
  }

  /** Whether a call failed, and its step did not: it was repeated, or nobody needed it. */
  private boolean isFailed(int span) {
    int step = traces.units.of(span);
    return spans.isError(span) && step >= 0 && !spans.isError(step);
  }

  /** Whether a step waited for the span itself, and not for an ancestor within the step. */
  private boolean isPhase(int span) {
    int waiter = traces.waits.above(span);
    return waiter >= 0 && traces.units.isStep(waiter);
  }

  /** How long a call waited in the queue; 0 if unknown. */
  private long waitNanos(int span) {
    return spans.start(span) - sentTimes.of(span);
  }

  public Spans spans() {
    return spans;
  }

  public SpanTree tree() {
    return traces.tree;
  }

  /** The run's spans: by trace, and in each by start. */
  public int[] members() {
    return traces.members;
  }

  /**
   * The self time of a span: its time without the time in which it waited for other spans.
   *
   * <p>{@code duration − |union over these of [start, end] ∩ the span's|}
   */
  public long selfNanos(int span) {
    return traces.waits.selfNanos(span);
  }

  /** Follows single spans and traces. */
  public CriticalPath criticalPath() {
    return traces.path();
  }

  /**
   * The critical path of the run, where {@link PathShares#isOfRun} says that there is one, as far
   * as it goes through these traces.
   */
  public void followRun(CriticalPath.Sink sink) {
    traces.followRun(totals.steps(), sink);
  }

  /** The duration of a root's trace, which {@link RunTotals#roots} adds up. */
  public long requestNanos(int root) {
    return RootTotals.nanos(spans, traces.waits, root);
  }

  /** All fan-outs, in no particular order. */
  public List<FanOuts.FanOut> singleFanOuts() {
    return totals.fanOutsInMemory().all();
  }

  /** The step that a span belongs to; negative if it belongs to none. */
  public int stepOf(int span) {
    return traces.units.of(span);
  }

  /** The spans that a span waited for, by start. */
  public int[] waitedFor(int span) {
    return traces.waits.children(span);
  }

  /** Whether it is the sender's span of a call on Ray, which its execution stands for. */
  public boolean isDispatch(int span) {
    return traces.pairs.isDispatch(span);
  }

  /** How long a call waited from its dispatch to its start; {@link Spans#NO_QUEUE} if unknown. */
  public long queueNanos(int span) {
    return traces.pairs.queueNanos(span);
  }

  /** What is known of the clocks of the run's hosts. */
  public Clocks clocks() {
    return clocks;
  }

  /**
   * The number of the trace with that id, if it has spans of this run.
   *
   * @param traceId the whole id
   * @return null if there is none
   */
  public @Nullable Integer findTrace(String traceId) {
    int last = -1;
    for (int span : members()) {
      if (spans.trace(span) != last) {
        last = spans.trace(span);
        if (spans.traceId(last).equals(traceId)) {
          return last;
        }
      }
    }
    return null;
  }

  // ---- the most frequently used totals

  public String runId() {
    return totals.runId();
  }

  /** The other ids that its processes gave it, the first started first. */
  public List<String> joinedRuns() {
    return totals.joinedRuns();
  }

  /** The earliest start of a span, 0 if none has one. */
  public long startEpochNanos() {
    return totals.startEpochNanos();
  }

  /** From the earliest start to the latest end. */
  public long wallNanos() {
    return totals.wallNanos();
  }

  /** By name, the one with the most time first; of calls on Ray the executions. */
  public List<NameTotals> nameTotals() {
    return totals.nameTotals();
  }

  /** The same by name and process. */
  public List<WorkerSpans> workerSpans() {
    return totals.workerSpans();
  }

  public Steps steps() {
    return totals.steps();
  }

  public Workers workers() {
    return totals.workers();
  }

  /** By name, the most expensive first. */
  public List<FanOuts.Totals> fanOuts() {
    return totals.fanOuts();
  }

  /** The traces by their root's name, that with the most time first; none if there are steps. */
  public List<RootTotals.Totals> roots() {
    return totals.roots();
  }

  /** The critical paths of all steps. */
  public PathShares path() {
    return totals.path();
  }

  /** Work that outlived its callers: by name, the most time first. */
  public List<WorkOfName> overlappedWork() {
    return totals.overlappedWork();
  }

  /** What costs the run its time: causes with the largest saving first, then the longest phase. */
  public List<Finding> findings() {
    return totals.findings();
  }

  /** How long calls waited, by name, the longest wait first. */
  public List<Queues.Totals> queues() {
    return totals.queues();
  }

  /** The longest spans below steps or outside, the longest first. */
  public List<Integer> slowestSpans() {
    return totals.slowestSpans();
  }

  /** Failed spans, and missing or impossible data in the files. */
  public Problems problems() {
    return totals.problems();
  }

  /** Runs of an agent framework, where the run has any. */
  public AgentRuns agentRuns() {
    return totals.agentRuns();
  }
}
