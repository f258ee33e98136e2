package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.Failures;
import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.Problems;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RootTotals;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.StepOverlap;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.WorkOfName;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.report.ReportContents.AgentRunRow;
import io.rollotel.traces.report.ReportContents.FailureRow;
import io.rollotel.traces.report.ReportContents.FanOutRow;
import io.rollotel.traces.report.ReportContents.Header;
import io.rollotel.traces.report.ReportContents.LostCalls;
import io.rollotel.traces.report.ReportContents.LostName;
import io.rollotel.traces.report.ReportContents.NameRef;
import io.rollotel.traces.report.ReportContents.NameRow;
import io.rollotel.traces.report.ReportContents.NameShare;
import io.rollotel.traces.report.ReportContents.Path;
import io.rollotel.traces.report.ReportContents.PhaseRow;
import io.rollotel.traces.report.ReportContents.ProcessShare;
import io.rollotel.traces.report.ReportContents.QueueRow;
import io.rollotel.traces.report.ReportContents.QueueShare;
import io.rollotel.traces.report.ReportContents.RootRow;
import io.rollotel.traces.report.ReportContents.ServiceRow;
import io.rollotel.traces.report.ReportContents.StandsFor;
import io.rollotel.traces.report.ReportContents.StepSummary;
import io.rollotel.traces.report.ReportContents.StragglerRow;
import io.rollotel.traces.report.ReportContents.UnendedRow;
import io.rollotel.traces.report.ReportContents.WorkRow;
import io.rollotel.traces.report.ReportContents.WorkerRow;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.Spans;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the contents of a report from the analysis of a run. */
final class ContentsBuilder {

  private final RunTotals run;
  private final Spans spans;
  private final @Nullable RunProfile profile;

  /**
   * For a run.
   *
   * @param profile the activity of its threads; null if that was not recorded
   */
  ContentsBuilder(RunTotals run, @Nullable RunProfile profile) {
    this.run = run;
    this.profile = profile;
    this.spans = run.spans();
  }

  /**
   * The contents.
   *
   * @param runs all that were read, the latest first
   */
  ReportContents contents(List<FoundRun> runs, ReadSummary files, OpenSpans open) {
    LostCalls lostCalls = lostCalls();
    long stepNanos = run.steps().wallNanos();
    return new ReportContents(
        run,
        header(),
        new FindingRows(run, lostCalls == null ? 0 : lostCalls.count(), open, profile).all(),
        profile == null ? null : ProfileRows.of(run, profile),
        runs,
        runs.stream().filter(other -> !other.id().equals(run.runId())).toList(),
        steps(),
        path(),
        run.roots().stream().map(this::root).toList(),
        run.nameTotals().stream().map(this::name).toList(),
        run.workers().all().stream().map(this::worker).toList(),
        run.workers().idle(),
        run.fanOuts().stream().map(totals -> fanOut(totals, stepNanos)).toList(),
        queues(),
        run.overlappedWork().stream().map(this::work).toList(),
        run.outsideWork().stream().map(this::work).toList(),
        betweenSteps(),
        run.agentRuns().all().stream().map(this::agentRun).toList(),
        lostCalls,
        missingRanks(open),
        run.slowestSpans().stream().map(this::span).toList(),
        run.problems().failures().stream().map(this::failure).toList(),
        run.problems().firstUnended().stream()
            .map(trace -> new UnendedRow(trace.spans(), span(trace.firstSpan())))
            .toList(),
        run.clocks(),
        open,
        files);
  }

  /** A part of a whole; 0 if the whole is 0. */
  static double share(long part, long whole) {
    return whole == 0 ? 0 : (double) part / whole;
  }

  private NameRef name(int number) {
    return new NameRef(number, spans.names().text(number));
  }

  private SpanRow span(int number) {
    return new SpanRow(spans, number);
  }

  private Header header() {
    Problems problems = run.problems();
    return new Header(
        run.runId(),
        run.startEpochNanos(),
        run.wallNanos(),
        problems.traces(),
        run.spanCount(),
        run.workers().all().size(),
        problems.errors(),
        problems.errorsBegun(),
        problems.unended(),
        problems.orphans(),
        problems.backwards(),
        problems.untimed(),
        problems.misdated(),
        problems.rings(),
        run.isWeighted() && problems.standsForTraces() != problems.traces()
            ? new StandsFor(
                problems.standsForTraces(),
                problems.allTraces(),
                problems.standsForSpans(),
                problems.allSpans())
            : null,
        run.joinedRuns(),
        run.workers().all().stream()
            .map(worker -> worker.process().host())
            .filter(host -> !host.isEmpty())
            .distinct()
            .sorted()
            .toList());
  }

  private StepSummary steps() {
    Steps steps = run.steps();
    long wallNanos = steps.wallNanos();
    long unattributedNanos = steps.restNanos();
    long medianNanos = steps.medianWallNanos();
    List<Steps.Step> slowest =
        steps.all().stream()
            .sorted(Comparator.comparingLong(Steps.Step::wallNanos).reversed())
            .limit(ReportContents.SLOWEST_STEPS)
            .toList();
    return new StepSummary(
        steps.count(),
        steps.areTraces(),
        steps.virtual(),
        wallNanos,
        unattributedNanos,
        share(unattributedNanos, wallNanos),
        medianNanos,
        steps.all(),
        slowest,
        medianNanos == 0 ? 1 : (double) slowest.get(0).wallNanos() / medianNanos,
        slowest.isEmpty() ? null : whyLong(slowest.get(0)),
        steps.phases().stream().map(phase -> phase(phase, wallNanos)).toList(),
        steps.overlap(),
        steps.areOverlapping(),
        steps.perMinute());
  }

  private Steps.@Nullable PhaseTime whyLong(Steps.Step step) {
    if (step.phases().isEmpty()) {
      return null;
    }
    if (run.steps().areTraces()) { // of other roots, with other phases
      Steps.PhaseTime longest = step.phases().get(0);
      return longest.nanos() > step.wallNanos() / 2 ? longest : null;
    }
    int part = run.steps().longerPart(step);
    return step.phases().stream().filter(phase -> phase.name() == part).findFirst().orElse(null);
  }

  private PhaseRow phase(Steps.Phase phase, long wallNanos) {
    return new PhaseRow(
        name(phase.name()),
        phase.steps(),
        phase.totalNanos(),
        share(phase.totalNanos(), wallNanos),
        phase.medianNanos(),
        phase.maxNanos());
  }

  private Path path() {
    long totalNanos = run.path().totalNanos();
    return new Path(
        run.path().isOfRun(),
        totalNanos,
        run.path().betweenNanos(),
        run.path().startingNanos(),
        run.path().names().stream()
            .map(
                part ->
                    new NameShare(
                        name(part.number()), part.nanos(), share(part.nanos(), totalNanos)))
            .toList(),
        run.path().processes().stream()
            .map(
                part ->
                    new ProcessShare(
                        part.number(),
                        spans.processes().get(part.number()),
                        part.nanos(),
                        share(part.nanos(), totalNanos)))
            .toList(),
        run.path().queues().stream()
            .map(
                part ->
                    new QueueShare(
                        name(part.name()),
                        spans.processes().get(part.process()),
                        part.nanos(),
                        share(part.nanos(), totalNanos)))
            .toList());
  }

  /** Those that delay the path first: the start of a worker takes long but delays no step. */
  private List<QueueRow> queues() {
    Map<Integer, Long> delays = run.path().delays();
    return run.queues().stream()
        .sorted(
            Comparator.comparingLong(
                    (Queues.Totals totals) -> delays.getOrDefault(totals.name(), 0L))
                .reversed())
        .map(
            totals ->
                new QueueRow(
                    name(totals.name()),
                    totals,
                    // Without steps, no trace waits for its own call.
                    run.steps().areTraces()
                        ? totals.waitNanos()
                        : delays.getOrDefault(totals.name(), 0L)))
        .toList();
  }

  /** If traces were sampled, the steps between those that were taken are unknown. */
  private ReportContents.@Nullable BetweenSteps betweenSteps() {
    StepOverlap overlap = run.steps().overlap();
    long nanos = overlap.extentNanos() - overlap.unionNanos();
    return run.steps().areTraces() || run.isWeighted() || nanos <= 0
        ? null
        : new ReportContents.BetweenSteps(
            nanos,
            share(nanos, overlap.extentNanos()),
            run.betweenWork().stream()
                .filter(work -> work.totalNanos() > 0)
                .map(this::work)
                .toList());
  }

  /** A process whose spans are all open is not missing. */
  private List<MissingRanks> missingRanks(OpenSpans open) {
    return MissingRanks.of(
        Stream.concat(
                run.workers().all().stream().map(Workers.Worker::process),
                open.processes().stream().map(OpenSpans::process))
            .toList());
  }

  private WorkRow work(WorkOfName work) {
    return new WorkRow(name(work.name()), work.count(), work.totalNanos(), span(work.longest()));
  }

  private RootRow root(RootTotals.Totals totals) {
    NameTotals roots = totals.roots();
    long selfNanos = totals.selfNanos(); // over all services, of which there may be thousands
    long pathNanos = totals.pathNanos();
    return new RootRow(
        name(totals.name()),
        roots.count(),
        ServiceRows.perSecond(roots.count(), run.wallNanos()),
        roots.errors(),
        share(roots.errors(), roots.count()),
        roots.totalNanos(),
        roots.percentile(50),
        roots.percentile(95),
        roots.percentile(99),
        roots.percentile(100),
        totals.services().stream()
            .map(
                service ->
                    new ServiceRow(
                        service.name(),
                        service.selfNanos(),
                        share(service.selfNanos(), selfNanos),
                        service.pathNanos(),
                        share(service.pathNanos(), pathNanos)))
            .toList());
  }

  private NameRow name(NameTotals totals) {
    return new NameRow(
        new NameRef(spans.names().find(totals.name()), totals.name()),
        totals.count(),
        totals.totalNanos(),
        totals.selfNanos(),
        totals.meanNanos(),
        totals.percentile(50),
        totals.percentile(95),
        totals.percentile(99),
        totals.percentile(100),
        totals.errors());
  }

  private WorkerRow worker(Workers.Worker worker) {
    long pathNanos = run.path().nanosOfProcess(worker.processNumber());
    return new WorkerRow(worker, pathNanos, share(pathNanos, run.path().totalNanos()));
  }

  private FanOutRow fanOut(FanOuts.Totals totals, long stepNanos) {
    return new FanOutRow(
        name(totals.name()),
        totals.fanOuts(),
        totals.costNanos(),
        share(totals.costNanos(), stepNanos),
        totals.lagNanos(),
        totals.isAlwaysTheSame(),
        totals.stragglers().stream()
            .map(
                straggler ->
                    new StragglerRow(
                        straggler.process(),
                        spans.processes().get(straggler.process()),
                        straggler.times(),
                        straggler.fanOuts(),
                        straggler.isAlways(),
                        straggler.costNanos(),
                        share(straggler.costNanos(), stepNanos),
                        run.isDoubtful(totals.name()) ? 0 : straggler.lateNanos(),
                        span(straggler.worst().lastSpan()),
                        straggler.worst().costNanos()))
            .toList(),
        span(totals.worst().lastSpan()),
        totals.worst().costNanos());
  }

  private @Nullable LostCalls lostCalls() {
    List<LostName> names =
        run.lostExecutions().stream()
            .map(lost -> new LostName(name(lost.name()), lost.count(), span(lost.first())))
            .toList();
    return names.isEmpty()
        ? null
        : new LostCalls(names.stream().mapToLong(LostName::count).sum(), names);
  }

  private AgentRunRow agentRun(AgentRuns.AgentRun one) {
    return new AgentRunRow(
        one,
        one.span() < 0 ? null : span(one.span()),
        one.steps().stream().filter(step -> spans.isError(step.span())).count(),
        one.steps().stream().mapToLong(step -> spans.nanos(step.span())).max().orElse(0));
  }

  private FailureRow failure(Failures.Failure failure) {
    return new FailureRow(
        failure.count(),
        failure.seen(),
        spans.failureText(failure.failure()),
        spans.failurePattern(failure.failure()),
        failure.isVaried(),
        span(failure.firstSpan()));
  }
}
