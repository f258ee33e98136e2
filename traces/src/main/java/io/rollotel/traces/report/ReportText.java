package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.Problems;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables of a report, made for a terminal of 100 columns. */
final class ReportText {

  // What numbers leave of the line.
  private static final int NAME_COLUMNS = 24;
  private static final int SERVICE_COLUMNS = 14;
  private static final int INSTANCE_COLUMNS = 20;
  private static final int HOST_COLUMNS = 14;
  private static final int RANK_COLUMNS = 5;

  private static final int MAX_PROCESSES = 50;
  private static final int MAX_NAMES = 100;
  private static final int MAX_AGENT_RUNS = 20;
  private static final int LISTED = 5;

  private final RunAnalysis run;
  private final Spans spans;
  private final PrintWriter out;

  ReportText(RunAnalysis run, PrintWriter out) {
    this.run = run;
    this.spans = run.spans();
    this.out = out;
  }

  void print() {
    processes();
    names();
    agentRuns();
    slowestSteps();
    fanOuts();
    queues();
    slowestSpans();
    failures();
    unended();
    skews();
  }

  private void processes() {
    Table table =
        new Table("service", "instance", "host", "rank>", "spans>", "busy>", "bubble>", "on path>");
    List<Workers.Worker> workers = run.workers().all();
    for (Workers.Worker worker : workers.stream().limit(MAX_PROCESSES).toList()) {
      TracedProcess process = worker.process();
      table.row(
          TextFormat.name(process.serviceName(), SERVICE_COLUMNS),
          TextFormat.name(process.instanceId(), INSTANCE_COLUMNS),
          TextFormat.text(process.host(), HOST_COLUMNS),
          TextFormat.text(process.rank(), RANK_COLUMNS),
          Long.toString(worker.spans()),
          worker.isDriver() ? "-" : TextFormat.duration(worker.busyNanos()),
          worker.isDriver() || worker.stepWallNanos() == 0
              ? "-"
              : TextFormat.percent(worker.bubbleShare()),
          TextFormat.percent(run.path().share(run.path().nanosOfProcess(worker.processNumber()))));
    }
    print("", table);
    more(workers.size() - MAX_PROCESSES, "processes");
  }

  private void names() {
    Table table =
        new Table("span", "count>", "total>", "self>", "mean>", "p50>", "p95>", "p99>", "max>");
    List<NameTotals> names = run.nameTotals();
    for (NameTotals name : names.stream().limit(MAX_NAMES).toList()) {
      table.row(
          TextFormat.name(name.name(), NAME_COLUMNS),
          Integer.toString(name.count()),
          TextFormat.duration(name.totalNanos()),
          TextFormat.duration(name.selfNanos()),
          TextFormat.duration(name.meanNanos()),
          TextFormat.duration(name.percentile(50)),
          TextFormat.duration(name.percentile(95)),
          TextFormat.duration(name.percentile(99)),
          TextFormat.duration(name.percentile(100)));
    }
    print("", table);
    more(names.size() - MAX_NAMES, "names");
  }

  private void agentRuns() {
    AgentRuns agentRuns = run.agentRuns();
    List<AgentRuns.AgentRun> all = agentRuns.all();
    Table table =
        new Table(
            "agent's run",
            "",
            "steps>",
            "failed>",
            "reward>",
            "a step>",
            "best>",
            "took>",
            "longest step>");
    for (AgentRuns.AgentRun one :
        all.subList(Math.max(0, all.size() - MAX_AGENT_RUNS), all.size())) {
      long longest =
          one.steps().stream().mapToLong(step -> spans.nanos(step.span())).max().orElse(0);
      table.row(
          TextFormat.name(one.id(), NAME_COLUMNS - 4),
          one.state().toString(),
          Integer.toString(one.steps().size()),
          Long.toString(one.steps().stream().filter(step -> spans.isError(step.span())).count()),
          TextFormat.number(one.totalReward()),
          TextFormat.number(one.meanReward()),
          TextFormat.number(one.bestReward()),
          TextFormat.duration(one.nanos()),
          one.steps().isEmpty() ? "-" : TextFormat.duration(longest));
    }
    print(agentRunsInWords(agentRuns), table);
    more(all.size() - MAX_AGENT_RUNS, "runs before them");
  }

  private static String agentRunsInWords(AgentRuns runs) {
    AgentRuns.AgentRun best = runs.best();
    StringBuilder words = new StringBuilder("Runs of an agent: ");
    words.append(runs.count(AgentRuns.State.COMPLETED)).append(" of ").append(runs.all().size());
    words.append(" completed, ").append(TextFormat.count(runs.steps(), "step", "steps"));
    if (best != null) {
      words
          .append(", mean reward ")
          .append(TextFormat.number(runs.meanTotalReward()))
          .append(", the best ")
          .append(TextFormat.number(best.totalReward()))
          .append(" of ")
          .append(TextFormat.name(best.id(), NAME_COLUMNS - 4));
    }
    return words.toString();
  }

  private void slowestSteps() {
    if (run.steps().areTraces() || run.steps().all().size() < 2) {
      return;
    }
    Table table = new Table("step", "took>", "unaccounted>", "longest phase", "it took>", "trace");
    for (Steps.Step step :
        run.steps().all().stream()
            .sorted(Comparator.comparingLong(Steps.Step::wallNanos).reversed())
            .limit(LISTED)
            .toList()) {
      Steps.PhaseTime longest = step.phases().isEmpty() ? null : step.phases().get(0);
      table.row(
          TextFormat.name(step.label(), 8),
          TextFormat.duration(step.wallNanos()),
          TextFormat.duration(step.restNanos()),
          longest == null
              ? "-"
              : TextFormat.name(spans.names().text(longest.name()), NAME_COLUMNS - 4),
          longest == null ? "" : TextFormat.duration(longest.nanos()),
          spans.traceIdOf(step.span()));
    }
    print("The slowest steps", table);
  }

  private void fanOuts() {
    Table table = new Table("fan-out of", "times>", "cost>", "share>", "last most expensively", "");
    for (FanOuts.Totals totals : run.fanOuts().stream().limit(LISTED).toList()) {
      FanOuts.Straggler worst = totals.stragglers().get(0);
      table.row(
          TextFormat.name(spans.names().text(totals.name()), NAME_COLUMNS),
          Integer.toString(totals.fanOuts()),
          TextFormat.duration(totals.costNanos()),
          SummaryText.percent(totals.costNanos(), run.steps().wallNanos()),
          TextFormat.text(spans.processes().get(worst.process()).label(), 26),
          worst.times() + "x");
    }
    print("Stragglers, what waiting for the last worker cost", table);
    more(run.fanOuts().size() - LISTED, "names");
  }

  private void queues() {
    Table table =
        new Table(
            "waited in queues", "calls>", "wait>", "work>", "p50>", "p95>", "max>", "skewed>");
    for (Queues.Totals totals : run.queues().stream().limit(LISTED).toList()) {
      table.row(
          TextFormat.name(spans.names().text(totals.name()), NAME_COLUMNS),
          Integer.toString(totals.count()),
          TextFormat.duration(totals.waitNanos()),
          TextFormat.duration(totals.workNanos()),
          TextFormat.duration(totals.medianNanos()),
          TextFormat.duration(totals.p95Nanos()),
          TextFormat.duration(totals.maxNanos()),
          Integer.toString(totals.negative()));
    }
    print("", table);
  }

  private void slowestSpans() {
    Table table = new Table("slowest spans", "took>", "on", "trace");
    for (int span : run.slowestSpans().stream().limit(LISTED).toList()) {
      table.row(
          TextFormat.name(spans.nameOf(span), NAME_COLUMNS - 6),
          TextFormat.duration(spans.nanos(span)),
          TextFormat.text(spans.processOf(span).label(), 26),
          spans.traceIdOf(span));
    }
    print("", table);
  }

  private void failures() {
    List<Problems.Failure> failures = run.problems().failures();
    Table table = new Table("errors", "of", "reason");
    for (Problems.Failure failure : failures.stream().limit(LISTED).toList()) {
      table.row(
          Long.toString(failure.count()),
          TextFormat.name(spans.names().text(failure.name()), NAME_COLUMNS),
          spans.failureText(failure.failure()).isEmpty()
              ? "-"
              : TextFormat.beginning(spans.failureText(failure.failure()), 50));
    }
    print("", table);
    more(failures.size() - LISTED, "reasons");
  }

  private void unended() {
    Table table = new Table("traces without a root", "spans>", "first span", "on");
    for (Problems.Unended trace : run.problems().firstUnended().stream().limit(LISTED).toList()) {
      table.row(
          spans.traceId(trace.trace()),
          Integer.toString(trace.spans()),
          TextFormat.name(spans.nameOf(trace.firstSpan()), NAME_COLUMNS),
          TextFormat.text(spans.processOf(trace.firstSpan()).label(), 24));
    }
    print("", table);
    more((int) Math.min(Integer.MAX_VALUE, run.problems().unended()) - LISTED, "traces");
  }

  private void skews() {
    Map<String, ClockSkew.Hosts> telling = new TreeMap<>();
    for (ClockSkew.Hosts hosts : run.skews()) {
      if (hosts.isSkewed() || hosts.isContradictory()) {
        telling.put(hosts.first() + "\0" + hosts.second(), hosts);
      }
    }
    Table table =
        new Table("clock of", "less that of", "at least>", "at most>", "calls>", "outside>");
    for (ClockSkew.Hosts hosts : telling.values().stream().limit(LISTED).toList()) {
      table.row(
          TextFormat.name(hosts.second(), HOST_COLUMNS),
          TextFormat.name(hosts.first(), HOST_COLUMNS),
          hosts.lowNanos() == Long.MIN_VALUE ? "?" : signed(hosts.lowNanos()),
          hosts.highNanos() == Long.MAX_VALUE ? "?" : signed(hosts.highNanos()),
          Long.toString(hosts.pairs()),
          Long.toString(hosts.sticksOut()));
    }
    print("", table);
    more(telling.size() - LISTED, "pairs of hosts");
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
      out.println(title + ":");
    }
    table.print(out);
  }

  private void more(int number, String what) {
    if (number > 0) {
      out.println("  and " + number + " more " + what + " (--json has them)");
    }
  }
}
