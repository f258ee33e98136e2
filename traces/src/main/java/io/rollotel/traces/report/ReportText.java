package io.rollotel.traces.report;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The tables of a report. */
final class ReportText {

  private static final int RANK_COLUMNS = 5;

  private static final int MAX_PROCESSES = 50;
  private static final int MAX_NAMES = 100;
  private static final int LISTED = 5;

  private final ReportContents contents;
  private final ClocksText clocks;
  private final ReportWriter out;

  ReportText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.clocks = new ClocksText(contents.clocks(), out);
    this.out = out;
  }

  void print() {
    new ServicesText(contents, out).print();
    processes();
    names();
    new WorkerSpansText(contents, out).print();
    new AgentRunsText(contents, out).print();
    slowestSteps();
    fanOuts();
    queues();
    slowestSpans();
    failures();
    unended();
    skews();
  }

  private void processes() {
    // A service waits for requests, which is not a bubble.
    boolean areTraces = contents.steps().areTraces();
    Table table =
        areTraces
            ? new Table("service~", "instance~", "?host~", "rank>", "?spans>", "busy>", "on path>")
            : new Table(
                "service~",
                "instance~",
                "?host~",
                "rank>",
                "?spans>",
                "busy>",
                "bubble>",
                "on path>");
    List<ReportContents.WorkerRow> workers = contents.workers();
    for (ReportContents.WorkerRow row : workers.stream().limit(MAX_PROCESSES).toList()) {
      Workers.Worker worker = row.worker();
      TracedProcess process = worker.process();
      List<String> cells = new ArrayList<>();
      cells.add(TextFormat.orDash(process.serviceName()));
      cells.add(TextFormat.orDash(process.instanceId()));
      cells.add(process.host());
      cells.add(TextFormat.text(process.rank(), RANK_COLUMNS));
      cells.add(Long.toString(worker.spans()));
      if (areTraces) {
        cells.add(TextFormat.duration(worker.workNanos()));
      } else {
        cells.add(worker.isDriver() ? "-" : TextFormat.duration(worker.busyNanos()));
        cells.add(
            worker.isDriver() || worker.stepWallNanos() == 0
                ? "-"
                : ClocksText.mark(
                    TextFormat.percent(worker.bubbleShare()), contents.isDoubtful(process)));
      }
      cells.add(ClocksText.mark(TextFormat.percent(row.pathShare()), contents.isDoubtful(process)));
      boolean isIdlest = isIdlest(worker);
      table.row(
          isIdlest && !areTraces ? ReportWriter.Colour.WORST : null, cells.toArray(String[]::new));
    }
    print(titleOfProcesses(), table);
    out.more(workers.size() - MAX_PROCESSES, "process", "processes");
    clocks.legend(workers.stream().anyMatch(row -> contents.isDoubtful(row.worker().process())));
  }

  /** When a process was at work is known only for the traces in the files. */
  private String titleOfProcesses() {
    return contents.header().standsFor() == null
        ? ""
        : "Processes in the "
            + TextFormat.count(contents.header().traces(), "trace", "traces")
            + " that were taken; their shares of the path are those of all traces";
  }

  /** Whether it is much more idle than the average. */
  private boolean isIdlest(Workers.Worker worker) {
    Workers.Idle idle = contents.idleWorkers();
    return idle != null
        && idle.idlest().equals(worker)
        && worker.bubbleShare() >= BottleneckText.STANDS_OUT * idle.share();
  }

  private void names() {
    Table table =
        new Table("span.", "count>", "total>", "self>", "?mean>", "?p50>", "p95>", "?p99>", "max>");
    List<ReportContents.NameRow> names = contents.names();
    for (ReportContents.NameRow name : names.stream().limit(MAX_NAMES).toList()) {
      table.row(
          TextFormat.orDash(name.name().text()),
          Long.toString(name.count()),
          TextFormat.duration(name.totalNanos()),
          TextFormat.duration(name.selfNanos()),
          TextFormat.duration(name.meanNanos()),
          TextFormat.duration(name.p50Nanos()),
          TextFormat.duration(name.p95Nanos()),
          TextFormat.duration(name.p99Nanos()),
          TextFormat.duration(name.maxNanos()));
    }
    print("", table);
    out.more(names.size() - MAX_NAMES, "name", "names");
  }

  private void slowestSteps() {
    if (contents.steps().areTraces() || contents.steps().all().size() < 2) {
      return;
    }
    Table table =
        new Table("step~", "took>", "unattributed>", "longest phase.", "it took>", "trace");
    for (Steps.Step step : contents.steps().slowest().stream().limit(LISTED).toList()) {
      Steps.PhaseTime longest = step.phases().isEmpty() ? null : step.phases().get(0);
      boolean isWorst =
          table.isEmpty() && contents.steps().slowestTimesMedian() >= BottleneckText.STANDS_OUT;
      table.row(
          isWorst ? ReportWriter.Colour.WORST : null,
          TextFormat.orDash(step.label()),
          TextFormat.duration(step.wallNanos()),
          TextFormat.duration(step.restNanos()),
          longest == null ? "-" : TextFormat.orDash(contents.name(longest.name())),
          longest == null ? "" : TextFormat.duration(longest.nanos()),
          contents.span(step.span()).traceId());
    }
    print("The slowest steps", table);
  }

  private void fanOuts() {
    Table table = new Table("fan-out of.", "times>", "cost>", "share>", "costliest straggler~", "");
    for (ReportContents.FanOutRow fanOut : contents.fanOuts().stream().limit(LISTED).toList()) {
      ReportContents.StragglerRow worst = fanOut.stragglers().get(0);
      table.row(
          table.isEmpty() ? ReportWriter.Colour.WORST : null,
          TextFormat.orDash(fanOut.name().text()),
          Long.toString(fanOut.fanOuts()),
          ClocksText.mark(
              TextFormat.duration(fanOut.costNanos()), contents.isDoubtful(fanOut.name())),
          TextFormat.percent(fanOut.share()),
          worst.process().label(),
          worst.times() + "x");
    }
    print("Stragglers: the cost of waiting for the last worker", table);
    out.more(contents.fanOuts().size() - LISTED, "name", "names");
    clocks.legend(contents.fanOuts().stream().anyMatch(row -> contents.isDoubtful(row.name())));
  }

  private void queues() {
    List<ReportContents.QueueRow> queues = contents.queues();
    boolean areSent = queues.stream().anyMatch(row -> row.totals().dispatches() != 0);
    String[] columns = {
      "waited in queues.",
      "calls>",
      "?dispatch>",
      "wait>",
      "work>",
      "?p50>",
      "p95>",
      "max>",
      "?skewed>"
    };
    Table table = new Table(withDispatch(areSent, columns));
    for (ReportContents.QueueRow queue : queues.stream().limit(LISTED).toList()) {
      Queues.Totals totals = queue.totals();
      table.row(
          withDispatch(
              areSent,
              TextFormat.orDash(queue.name().text()),
              Long.toString(totals.count()),
              totals.dispatches() == 0 ? "-" : TextFormat.duration(totals.dispatchNanos()),
              ClocksText.mark(
                  TextFormat.duration(totals.waitNanos()), contents.isDoubtful(queue.name())),
              TextFormat.duration(totals.workNanos()),
              TextFormat.duration(totals.medianNanos()),
              TextFormat.duration(totals.p95Nanos()),
              TextFormat.duration(totals.maxNanos()),
              Long.toString(totals.negative())));
    }
    print("", table);
    out.more(queues.size() - LISTED, "name of calls", "names of calls");
    clocks.legend(queues.stream().anyMatch(row -> contents.isDoubtful(row.name())));
  }

  /** The third cell is for calls on Ray: others have no sender's span. */
  private static String[] withDispatch(boolean areSent, String... cells) {
    return areSent
        ? cells
        : IntStream.range(0, cells.length)
            .filter(i -> i != 2)
            .mapToObj(i -> cells[i])
            .toArray(String[]::new);
  }

  private void slowestSpans() {
    Table table = new Table("slowest spans.", "took>", "on~", "trace");
    for (SpanRow span : contents.slowestSpans().stream().limit(LISTED).toList()) {
      table.row(
          TextFormat.orDash(span.name()),
          TextFormat.duration(span.nanos()),
          span.process().label(),
          span.traceId());
    }
    print("", table);
  }

  private void failures() {
    List<ReportContents.FailureRow> failures = contents.failures();
    Table table = new Table("errors", "of.", "reason…");
    for (ReportContents.FailureRow failure : failures.stream().limit(LISTED).toList()) {
      table.row(
          ReportWriter.Colour.BAD,
          failure.count() + (failure.seen() == 0 ? "" : " (seen " + failure.seen() + "x above)"),
          TextFormat.orDash(failure.first().name()),
          TextFormat.orDash(failure.commonReason()));
    }
    print("", table);
    out.more(failures.size() - LISTED, "reason", "reasons");
  }

  private void unended() {
    Table table = new Table("traces without a root", "spans>", "first span.", "on~");
    for (ReportContents.UnendedRow trace : contents.unended().stream().limit(LISTED).toList()) {
      table.row(
          trace.first().traceId(),
          Integer.toString(trace.spans()),
          TextFormat.orDash(trace.first().name()),
          trace.first().process().label());
    }
    print("", table);
    long unended = contents.header().unendedTraces();
    out.more(unended - LISTED, "trace", "traces");
  }

  private void skews() {
    List<ClockSkew.Hosts> doubtful = contents.doubtfulClocks();
    Table table =
        new Table(
            "clock of~",
            "less that of~",
            "at least>",
            "at most>",
            "calls>",
            "outside>",
            "corrected>");
    for (ClockSkew.Hosts hosts : doubtful.stream().limit(LISTED).toList()) {
      long correctionNanos = contents.clocks().correctionNanos(hosts);
      table.row(
          TextFormat.orDash(hosts.second()),
          TextFormat.orDash(hosts.first()),
          hosts.hasLow() ? signed(hosts.lowNanos()) : "?",
          hosts.hasHigh() ? signed(hosts.highNanos()) : "?",
          Long.toString(hosts.pairs()),
          Long.toString(hosts.sticksOut()),
          correctionNanos == 0 ? "-" : signed(correctionNanos));
    }
    print("", table);
    out.more(doubtful.size() - LISTED, "pair of hosts", "pairs of hosts");
  }

  private static String signed(long nanos) {
    return (nanos < 0 ? "-" : "") + TextFormat.duration(Math.abs(nanos));
  }

  private void print(String title, Table table) {
    if (table.isEmpty()) {
      return;
    }
    out.println();
    if (!title.isEmpty()) {
      out.line(ReportWriter.Colour.HEADING, title + ":");
    }
    table.print(out);
  }
}
