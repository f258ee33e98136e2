package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of one run. Definitions with their formulas are in docs/analysis.md.
 *
 * <p>Spans, names, processes and runs are numbers of {@link Spans}.
 */
public final class RunAnalysis {

  /** What a run's steps are called in ROLL and here. */
  public static final String PIPELINE_STEP = "pipeline_step";

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;
  private final int run;
  private final Clocks clocks;
  private final BitSet doubtfulNames = new BitSet();
  private final int[] members;

  /** The members and what stands for spans that are missing above them. */
  private final int[] rows;

  private final CallPairs pairs;
  private final List<NameTotals> names;
  private final Steps steps;
  private final Workers workers;
  private final FanOuts fanOuts;
  private final PathShares path;
  private final List<Integer> slowestSpans;
  private final Problems problems;
  private final AgentRuns agentRuns;
  private final LostExecutions lostExecutions;
  private final StepUnits units;
  private final SentTimes sentTimes;
  private @Nullable List<Finding> findings;
  private final long startEpochNanos;
  private final long endEpochNanos;

  /**
   * Analyses a run.
   *
   * @param clocks what is known of those of its hosts
   */
  public RunAnalysis(Spans spans, SpanTree tree, int run, String stepName, Clocks clocks) {
    this.spans = spans;
    this.tree = tree;
    this.run = run;
    this.clocks = clocks;
    this.rows = Rows.where(span -> spans.run(span) == run, tree.order());
    this.members = Rows.where(span -> !spans.isVirtual(span), rows);
    this.units = new StepUnits(spans, tree, rows, stepName);
    this.waits = WaitTree.of(spans, tree, units);
    this.sentTimes = new SentTimes(spans, tree, waits);
    this.pairs = new CallPairs(spans, tree, members);
    this.names = names();
    this.steps = new Steps(spans, waits, units, rows);
    this.workers = new Workers(spans, steps, members);
    this.fanOuts = new FanOuts(spans, tree);
    new FanOutGroups(spans, tree, waits, units, fanOuts::add).find(rows);
    this.path = new PathShares(spans, waits, criticalPath(), steps);
    this.slowestSpans = SlowestSpans.of(spans, tree, steps, members);
    this.problems = new Problems(spans, tree, members);
    this.agentRuns = new AgentRuns(spans, tree, run);
    this.lostExecutions = new LostExecutions(spans, tree, members);
    long start = Long.MAX_VALUE;
    long end = 0;
    for (int span : members) {
      if (spans.isTimed(span)) {
        start = Math.min(start, spans.start(span));
        end = Math.max(end, spans.end(span));
      }
    }
    if (!clocks.doubtful().isEmpty()) {
      doubt();
    }
    this.startEpochNanos = end == 0 ? 0 : start;
    this.endEpochNanos = end;
  }

  private void doubt() {
    for (int span : members) {
      int parent = tree.parent(span);
      if (isDoubtfulAt(span) || (parent >= 0 && isDoubtfulAt(parent))) {
        doubtfulNames.set(spans.name(span));
      }
    }
  }

  private boolean isDoubtfulAt(int span) {
    return clocks.doubtful().contains(spans.processOf(span).host());
  }

  private List<NameTotals> names() {
    @Nullable NameTotals[] found = new NameTotals[spans.names().size()];
    for (int span : members) {
      if (pairs.isDispatch(span)) {
        continue;
      }
      int name = spans.name(span);
      NameTotals totals = found[name];
      if (totals == null) {
        totals = new NameTotals(spans.names().text(name));
        found[name] = totals;
      }
      totals.add(spans.weight(span), spans.nanos(span), waits.selfNanos(span), spans.isError(span));
    }
    Comparator<NameTotals> mostTimeFirst =
        Comparator.comparingLong(NameTotals::totalNanos).reversed();
    return Arrays.stream(found)
        .filter(Objects::nonNull)
        .sorted(mostTimeFirst.thenComparing(NameTotals::name))
        .toList();
  }

  public String runId() {
    return spans.runs().text(run);
  }

  /** The other ids that its processes gave it, the first started first. */
  public List<String> joinedRuns() {
    return spans.joinedRuns(run);
  }

  /** Calls of which no execution was read. */
  public LostExecutions lostExecutions() {
    return lostExecutions;
  }

  public Spans spans() {
    return spans;
  }

  public SpanTree tree() {
    return tree;
  }

  /**
   * What a span did itself: its time without that in which somebody ran whom it waited for.
   *
   * <p>{@code duration − |union over these of [start, end] ∩ the span's|}
   */
  public long selfNanos(int span) {
    return waits.selfNanos(span);
  }

  /** Follows single spans and traces. */
  public CriticalPath criticalPath() {
    return new CriticalPath(spans, tree, waits);
  }

  /** The run's spans: by trace, and in each by start. */
  public int[] members() {
    return members;
  }

  /** The earliest start of a span, 0 where none has one. */
  public long startEpochNanos() {
    return startEpochNanos;
  }

  /** From the earliest start to the latest end. */
  public long wallNanos() {
    return endEpochNanos - startEpochNanos;
  }

  /** By name, the one with the most time first; of calls on Ray the executions. */
  public List<NameTotals> nameTotals() {
    return names;
  }

  /** The same by name and process; computed with each call. */
  public List<WorkerSpans> workerSpans() {
    return WorkerSpans.of(spans, pairs, members);
  }

  public Steps steps() {
    return steps;
  }

  public Workers workers() {
    return workers;
  }

  /** By name, the one that cost most first. */
  public List<FanOuts.Totals> fanOuts() {
    return fanOuts.totals();
  }

  /** Each fan-out that was read, in no order. */
  public List<FanOuts.FanOut> singleFanOuts() {
    return fanOuts.all();
  }

  /** The traces by their root's name, that with the most time first; none where there are steps. */
  public List<RootTotals.Totals> roots() {
    return RootTotals.of(spans, waits, steps, path, rows);
  }

  /** How long the trace of a root took, which {@link #roots} adds up. */
  public long requestNanos(int root) {
    return RootTotals.nanos(spans, waits, root);
  }

  /** Which service calls which; empty where there are steps. Computed with each call. */
  public ServiceGraph serviceGraph() {
    return ServiceGraph.of(spans, tree, steps, members);
  }

  /** The critical path of the run, where {@link Steps#hasPathOfRun} says that there is one. */
  public void followRun(CriticalPath.Sink sink) {
    new RunPath(spans, waits, criticalPath(), steps.all()).follow(sink);
  }

  /** The critical paths of all steps. */
  public PathShares path() {
    return path;
  }

  /** What outlived its step, so that nobody waited for it: by name, the most time first. */
  public List<OverlappedWork> overlappedWork() {
    return OverlappedWork.of(spans, waits, members);
  }

  /** What costs the run its time, the largest saving first; found when it is first asked for. */
  public List<Finding> findings() {
    List<Finding> known = findings;
    if (known == null) {
      Savings savings = new Savings(spans, tree, waits, units, steps, rows);
      known = Findings.of(this, fanOuts.groups(), savings);
      findings = known;
    }
    return known;
  }

  /** The step that a span belongs to; negative where it belongs to none. */
  public int stepOf(int span) {
    return units.of(span);
  }

  /** Those that a span waited for, in the order of their starts. */
  public int[] waitedFor(int span) {
    return waits.children(span);
  }

  /** Whether a step waited for the span itself, and not for one above it in the step. */
  boolean isPhase(int span) {
    int waiter = waits.above(span);
    return waiter >= 0 && units.isStep(waiter);
  }

  /** Whether it is the sender's span of a call on Ray, which its execution stands for. */
  public boolean isDispatch(int span) {
    return pairs.isDispatch(span);
  }

  /** How long a call waited from its dispatch to its start; {@link Spans#NO_QUEUE} if unknown. */
  public long queueNanos(int span) {
    return pairs.queueNanos(span);
  }

  /** How long a call waited in the queue; 0 where that is not known. */
  long waitNanos(int span) {
    return spans.start(span) - sentTimes.of(span);
  }

  public List<Queues.Totals> queues() {
    return Queues.of(spans, pairs, members);
  }

  /** What is known of the clocks of the run's hosts. */
  public Clocks clocks() {
    return clocks;
  }

  /** Whether spans of that name, or their callers, are on a host whose clock does not fit. */
  public boolean isDoubtful(int name) {
    return doubtfulNames.get(name);
  }

  /** The longest spans below steps or outside, the longest first. */
  public List<Integer> slowestSpans() {
    return slowestSpans;
  }

  /** Failed spans, and what is missing or impossible in the files. */
  public Problems problems() {
    return problems;
  }

  /** Runs of an agent framework, where the run has any. */
  public AgentRuns agentRuns() {
    return agentRuns;
  }

  /**
   * The number of the trace of that id which has spans of this run.
   *
   * @param traceId 32 hex digits, or how an id begins
   * @return null where there is none
   */
  public @Nullable Integer findTrace(String traceId) {
    int last = -1;
    for (int span : members) {
      if (spans.trace(span) != last) {
        last = spans.trace(span);
        if (spans.traceId(last).startsWith(traceId)) {
          return last;
        }
      }
    }
    return null;
  }
}
