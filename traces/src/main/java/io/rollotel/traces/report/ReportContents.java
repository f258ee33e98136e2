package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.Clocks;
import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.StepOverlap;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.ThinnedCount;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.TracedProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a report on one run. Text, JSON and page show these rows, each in its own form;
 * sorting, selecting and computing shares happen here, once.
 *
 * <p>There can be a million steps: they stay as the analysis has them, and {@link #span} makes a
 * row of each when it is written.
 *
 * @param totals the sums that it is computed from
 * @param findings the causes of lost time, the largest saving first, then the longest phase
 * @param profile the activity of spans' threads; null if that was not recorded
 * @param otherRuns the runs that were read and are not the report's, the latest first
 * @param roots if the run has no steps, its traces by their root's name, the one with the most time
 *     first
 * @param names the one with the most time first
 * @param fanOuts the name that cost most first
 * @param queues the name that waited longest first
 * @param between null if a step ran all the time, or that is unknown
 * @param lostCalls null if each call has its execution
 * @param slowestSpans the longest first
 * @param failures the most frequent first
 * @param unended the first traces without a root
 * @param clocks the hosts' clocks and their corrections
 */
public record ReportContents(
    RunTotals totals,
    Header header,
    List<FindingRow> findings,
    @Nullable ProfileRows profile,
    List<FoundRun> runs,
    List<FoundRun> otherRuns,
    StepSummary steps,
    Path path,
    List<RootRow> roots,
    List<NameRow> names,
    List<WorkerRow> workers,
    Workers.@Nullable Idle idleWorkers,
    List<FanOutRow> fanOuts,
    List<QueueRow> queues,
    List<WorkRow> overlapped,
    List<WorkRow> outside,
    @Nullable BetweenSteps between,
    List<AgentRunRow> agentRuns,
    @Nullable LostCalls lostCalls,
    List<MissingRanks> missingRanks,
    List<SpanRow> slowestSpans,
    List<FailureRow> failures,
    List<UnendedRow> unended,
    Clocks clocks,
    OpenSpans open,
    ReadSummary files) {

  /**
   * The finding about a slow worker or host that saves most; null if there is none, or it is about
   * the costliest straggler.
   *
   * @param isStragglerTold whether that one is worth a sentence
   */
  public @Nullable FindingRow slowBesideStraggler(boolean isStragglerTold) {
    FindingRow slow =
        findings.stream()
            .filter(
                row ->
                    row.finding().kind() == Finding.Kind.SLOW_WORKER
                        || row.finding().kind() == Finding.Kind.SLOW_HOST)
            .findFirst()
            .orElse(null);
    return slow != null
            && isStragglerTold
            && slow.workers().contains(fanOuts.get(0).stragglers().get(0).process())
        ? null
        : slow;
  }

  /** The sentence on the long tail of fan-outs of a name; empty if they have none. */
  public String longTail(NameRef name) {
    return findings.stream()
        .filter(row -> row.finding().kind() == Finding.Kind.LONG_TAIL)
        .filter(row -> row.finding().name() == name.number())
        .map(FindingRow::text)
        .findFirst()
        .orElse("");
  }

  /** How many of the slowest steps have a row. */
  static final int SLOWEST_STEPS = 20;

  /**
   * Facts about the run, and missing or impossible data in its files.
   *
   * @param errors how many spans failed
   * @param errorsBegun how many of them did not just pass on a child's failure
   * @param misdatedSpans spans years away from the others, which count as 0 ns
   * @param parentRings spans that were each other's ancestors
   * @param standsFor what the sampled spans represent; null if only themselves
   * @param joinedRuns the other ids that its processes gave the run, the first started first
   * @param hosts those of its processes, sorted
   */
  public record Header(
      String runId,
      long startEpochNanos,
      long wallNanos,
      long traces,
      long spans,
      int processes,
      long errors,
      long errorsBegun,
      long unendedTraces,
      long orphanSpans,
      long backwardsSpans,
      long untimedSpans,
      long misdatedSpans,
      long parentRings,
      @Nullable StandsFor standsFor,
      List<String> joinedRuns,
      List<String> hosts) {}

  /**
   * The traces that the sampled ones represent. Counts and times of names, phases, paths, queues,
   * fan-outs and errors are of all these.
   *
   * @param traces an estimate of how many traces there were
   * @param allTraces the 95 % confidence interval of that number
   * @param spans the same for spans
   * @param allSpans the same for spans
   */
  public record StandsFor(
      long traces, ThinnedCount.Interval allTraces, long spans, ThinnedCount.Interval allSpans) {}

  /** A span name, and its number in the columns. */
  public record NameRef(int number, String text) {}

  /**
   * The times of all steps together.
   *
   * @param count their number, including those that were not sampled
   * @param areTraces whether the run has no steps, so that the roots of its traces count as such
   * @param virtual how many are not in the files, but reconstructed from the spans below them
   * @param unattributedNanos the time that belongs to no phase
   * @param all by start
   * @param slowest the slowest first, {@value #SLOWEST_STEPS} at most
   * @param slowestTimesMedian the slowest step's time divided by the median; 1 if the median is 0
   * @param whySlowest the phase that makes the slowest one so long; of a trace, the phase with more
   *     than half of it; null if it is no single one
   * @param phases the one with the most time first
   * @param overlap how far the read ones overlap
   * @param areOverlapping whether steps overlap so much that their sums exceed the run's time;
   *     false for traces, which normally overlap
   * @param perMinute steps per minute from the first to the last; 0 if there are fewer than two
   */
  public record StepSummary(
      long count,
      boolean areTraces,
      long virtual,
      long wallNanos,
      long unattributedNanos,
      double unattributedShare,
      long medianNanos,
      List<Steps.Step> all,
      List<Steps.Step> slowest,
      double slowestTimesMedian,
      Steps.@Nullable PhaseTime whySlowest,
      List<PhaseRow> phases,
      StepOverlap overlap,
      boolean areOverlapping,
      double perMinute) {}

  /**
   * A phase over all steps.
   *
   * @param share of the steps' wall time
   */
  public record PhaseRow(
      NameRef name, long steps, long totalNanos, double share, long medianNanos, long maxNanos) {}

  /**
   * The critical paths of all steps, the largest share first.
   *
   * @param isOfRun whether it is the one path of the run, since steps overlap
   * @param betweenNanos the time of it between two steps
   * @param names work by span name
   * @param processes work by process
   * @param startingNanos the time of {@code queues} before the process's first span
   * @param queues time in which no process worked, since a call waited to be executed
   */
  public record Path(
      boolean isOfRun,
      long totalNanos,
      long betweenNanos,
      long startingNanos,
      List<NameShare> names,
      List<ProcessShare> processes,
      List<QueueShare> queues) {

    /** The sum of {@code queues}. */
    public long waitNanos() {
      return queues.stream().mapToLong(QueueShare::nanos).sum();
    }
  }

  /**
   * The time from the first step to the last in which none ran.
   *
   * @param share of that time
   * @param work spans beside the steps in their traces, with the time in which no step ran
   */
  public record BetweenSteps(long nanos, double share, List<WorkRow> work) {

    /** A smaller share is usual. */
    private static final double MUCH = 0.05;

    /** Less than this share of that time does not explain it. */
    private static final double EXPLAINS = 0.1;

    /** Whether it is worth a sentence. */
    public boolean isMuch() {
      return share >= MUCH;
    }

    /** The work that explains much of it. */
    public List<WorkRow> most() {
      return work.stream().filter(row -> row.totalNanos() >= EXPLAINS * nanos).toList();
    }
  }

  /** A name's part of the critical paths. */
  public record NameShare(NameRef name, long nanos, double share) {}

  /** A process's part of the critical paths. */
  public record ProcessShare(int number, TracedProcess process, long nanos, double share) {}

  /** How long calls of one name to one process waited on the critical paths. */
  public record QueueShare(NameRef name, TracedProcess process, long nanos, double share) {}

  /** Spans with one name that no step's path and no phase has. */
  public record WorkRow(NameRef name, long count, long totalNanos, SpanRow longest) {}

  /**
   * The traces whose root has one name.
   *
   * @param perSecond of the run's time
   * @param errorShare of the roots
   */
  public record RootRow(
      NameRef name,
      long count,
      double perSecond,
      long errors,
      double errorShare,
      long totalNanos,
      long p50Nanos,
      long p95Nanos,
      long p99Nanos,
      long maxNanos,
      List<ServiceRow> services) {}

  /** A service's share of such traces: of self time, and of the paths. */
  public record ServiceRow(
      String service, long selfNanos, double selfShare, long pathNanos, double pathShare) {}

  /** The spans of one name. */
  public record NameRow(
      NameRef name,
      long count,
      long totalNanos,
      long selfNanos,
      long meanNanos,
      long p50Nanos,
      long p95Nanos,
      long p99Nanos,
      long maxNanos,
      long errors) {}

  /** A process, and its part of the critical paths. */
  public record WorkerRow(Workers.Worker worker, long pathNanos, double pathShare) {}

  /** A worker in one step. */
  public record StepWorker(long busyNanos, long idleNanos) {}

  /**
   * The fan-outs of one name.
   *
   * @param share the cost of waiting for the last worker, as a share of the steps' wall time
   * @param stragglers the most expensive first
   * @param worstSpan the last span of the fan-out that cost most
   */
  public record FanOutRow(
      NameRef name,
      long fanOuts,
      long costNanos,
      double share,
      long lagNanos,
      boolean isAlwaysTheSame,
      List<StragglerRow> stragglers,
      SpanRow worstSpan,
      long worstCostNanos) {}

  /**
   * How often a process was the last, and the cost of that.
   *
   * @param fanOuts in how many fan-outs it took part
   * @param isAlways whether it was the last in each of them, and they are several
   * @param lateNanos how much later its calls were sent, if that is why it was the last; else 0
   * @param worstSpan its span in the fan-out in which that cost most
   */
  public record StragglerRow(
      int number,
      TracedProcess process,
      long times,
      long fanOuts,
      boolean isAlways,
      long costNanos,
      double share,
      long lateNanos,
      SpanRow worstSpan,
      long worstCostNanos) {}

  /**
   * The waits of one name's calls.
   *
   * @param delayNanos how long they delayed the steps; all of them if traces count as steps
   */
  public record QueueRow(NameRef name, Queues.Totals totals, long delayNanos) {}

  /**
   * A run of an agent framework.
   *
   * @param span null if its span is not in the file
   */
  public record AgentRunRow(
      AgentRuns.AgentRun run, @Nullable SpanRow span, long failedSteps, long longestStepNanos) {}

  /**
   * Calls without an execution in the files.
   *
   * @param names the most frequent first
   */
  public record LostCalls(long count, List<LostName> names) {}

  /** Such calls of one name. */
  public record LostName(NameRef name, long count, SpanRow first) {}

  /**
   * The failures that began in spans of one name for one reason.
   *
   * @param seen how many ancestors passed it on
   * @param reason the reason of the first
   * @param pattern the reason with {@code #} for each number in it
   * @param isVaried whether the reasons differ in numbers
   */
  public record FailureRow(
      long count, long seen, String reason, String pattern, boolean isVaried, SpanRow first) {

    /** The values that apply to all of them. */
    public String commonReason() {
      return isVaried ? pattern : reason;
    }
  }

  /** A trace without a root. */
  public record UnendedRow(int spans, SpanRow first) {}

  /** The row of a span. */
  public SpanRow span(int number) {
    return new SpanRow(totals.spans(), number);
  }

  /** The text of a span name. */
  public String name(int number) {
    return totals.spans().names().text(number);
  }

  /** The services and the calls between them. Computed with each call. */
  public ServiceRows serviceRows() {
    return ServiceRows.of(totals);
  }

  /** A worker's activity in a step; null for a driver, and for a worker that did not run then. */
  public @Nullable StepWorker inStep(Workers.Worker worker, Steps.Step step) {
    long from = totals.spans().start(step.span());
    long to = totals.spans().end(step.span());
    if (worker.isDriver() || !totals.workers().isAlive(worker, from, to)) {
      return null;
    }
    long busyNanos = totals.workers().busyNanos(worker, from, to);
    return new StepWorker(busyNanos, to - from - busyNanos);
  }

  /**
   * Whether times of these spans, or of their callers, come from a clock that does not fit others.
   */
  public boolean isDoubtful(NameRef name) {
    return totals.isDoubtful(name.number());
  }

  /** Whether a process's clock does not fit others. */
  public boolean isDoubtful(TracedProcess process) {
    return clocks.doubtful().contains(process.host());
  }

  /** Pairs of hosts whose clocks cannot have been equal, or whose spans contradict each other. */
  public List<ClockSkew.Hosts> doubtfulClocks() {
    return clocks.pairs().stream().filter(ClockSkew.Hosts::isDoubtful).toList();
  }
}
