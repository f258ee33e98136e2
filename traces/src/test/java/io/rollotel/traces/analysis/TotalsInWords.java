package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The contents of totals, with ids instead of row numbers, for comparison. */
final class TotalsInWords {

  private final RunTotals totals;
  private final Spans spans;

  private TotalsInWords(RunTotals totals) {
    this.totals = totals;
    this.spans = totals.spans();
  }

  static String of(RunTotals totals) {
    return new TotalsInWords(totals).all().collect(Collectors.joining("\n"));
  }

  private Stream<String> all() {
    return Stream.of(
            Stream.of(
                "run " + totals.runId() + " with " + totals.joinedRuns(),
                "spans " + totals.spanCount() + ", " + totals.startEpochNanos(),
                "wall " + totals.wallNanos(),
                "clocks " + totals.clocks(),
                "overlap " + totals.steps().overlap(),
                "path of run " + totals.path().isOfRun() + ", " + totals.path().betweenNanos(),
                "path " + totals.path().totalNanos() + ", " + totals.path().startingNanos(),
                problems()),
            totals.nameTotals().stream().map(name -> name.name() + ": " + values(name)),
            totals.workerSpans().stream()
                .map(
                    row ->
                        List.of(
                                name(row.name()),
                                process(row.process()),
                                row.count(),
                                row.totalNanos(),
                                row.selfNanos(),
                                row.p95Nanos())
                            .toString()),
            totals.steps().all().stream().map(this::step),
            totals.steps().phases().stream()
                .map(
                    row ->
                        List.of(
                                name(row.name()),
                                row.steps(),
                                row.totalNanos(),
                                row.medianNanos(),
                                row.maxNanos())
                            .toString()),
            totals.workers().all().stream().map(this::worker),
            totals.fanOuts().stream().map(this::fanOut),
            totals.path().names().stream().map(one -> name(one.number()) + one.nanos()),
            totals.path().processes().stream().map(one -> process(one.number()) + one.nanos()),
            totals.path().queuesOfRunning().stream()
                .map(one -> name(one.name()) + process(one.process()) + one.nanos()),
            totals.path().queues().stream()
                .map(one -> name(one.name()) + process(one.process()) + one.nanos()),
            totals.slowestSpans().stream().map(span -> "slow " + id(span)),
            totals.lostExecutions().stream()
                .map(lost -> name(lost.name()) + " lost " + lost.count() + " " + id(lost.first())),
            totals.queues().stream()
                .map(
                    one ->
                        List.of(
                                name(one.name()),
                                one.count(),
                                one.waitNanos(),
                                one.workNanos(),
                                one.p95Nanos(),
                                one.negative())
                            .toString()),
            totals.agentRuns().all().stream().map(this::agentRun),
            totals.agentRuns().actions().stream().map(AgentActions::toString),
            totals.overlappedWork().stream()
                .map(one -> name(one.name()) + " " + one.count() + " " + id(one.longest())),
            totals.betweenWork().stream()
                .map(
                    one ->
                        name(one.name())
                            + " between "
                            + one.count()
                            + " "
                            + one.totalNanos()
                            + " "
                            + id(one.longest())),
            totals.outsideWork().stream()
                .map(
                    one ->
                        name(one.name())
                            + " outside "
                            + one.count()
                            + " "
                            + one.totalNanos()
                            + id(one.longest())),
            totals.roots().stream()
                .map(one -> name(one.name()) + " " + values(one.roots()) + one.services()),
            totals.serviceGraph().calls().stream()
                .map(one -> one.caller() + "→" + one.callee() + values(one.calls())),
            new TreeMap<>(totals.unitMeans().all(spans))
                .entrySet().stream().map(one -> one.getKey() + Arrays.toString(one.getValue())),
            totals.nameTotals().stream().map(name -> workerMeans(name.name())),
            totals.findings().stream().map(this::finding))
        .flatMap(lines -> lines);
  }

  private String name(int number) {
    return number < 0 ? "-" : spans.names().text(number);
  }

  private String process(int number) {
    return spans.processes().get(number).label();
  }

  private String id(int span) {
    return span < 0 ? "-" : spans.traceIdOf(span) + "/" + spans.spanId(span);
  }

  private String ids(List<Integer> rows) {
    return rows.stream().map(this::id).toList().toString();
  }

  private String workerMeans(String name) {
    List<String> steps = new ArrayList<>();
    for (WorkerMeans.OfStep step : totals.unitMeans().workers().of(spans.findName(name))) {
      steps.add(
          IntStream.range(0, step.size())
              .mapToObj(i -> process(step.process(i)) + step.spans(i) + '*' + step.meanNanos(i))
              .sorted()
              .toList()
              .toString());
    }
    return name + " by worker " + steps;
  }

  private static String values(NameTotals name) {
    return List.of(
            name.count(),
            name.totalNanos(),
            name.selfNanos(),
            name.errors(),
            name.percentile(50),
            name.percentile(95),
            name.percentile(100))
        .toString();
  }

  private String problems() {
    Problems of = totals.problems();
    return List.of(
            of.traces(),
            of.standsForTraces(),
            of.standsForSpans(),
            of.allSpans(),
            of.allTraces(),
            of.errors(),
            of.errorsBegun(),
            of.orphans(),
            of.backwards(),
            of.untimed(),
            of.misdated(),
            of.unended(),
            of.rings(),
            of.firstUnended().stream().map(one -> id(one.firstSpan()) + one.spans()).toList(),
            of.failures().stream().map(one -> one.count() + id(one.firstSpan())).toList())
        .toString();
  }

  private String step(Steps.Step step) {
    List<String> phases =
        step.phases().stream().map(phase -> name(phase.name()) + phase.nanos()).toList();
    return id(step.span()) + step.label() + step.wallNanos() + phases + step.restNanos();
  }

  private String worker(Workers.Worker worker) {
    return List.of(
            worker.process().label(),
            worker.isDriver(),
            worker.spans(),
            worker.busyNanos(),
            worker.workNanos(),
            worker.lifeNanos(),
            worker.stepWallNanos(),
            worker.stepBusyNanos())
        .toString();
  }

  private String fanOut(FanOuts.Totals one) {
    return List.of(
            name(one.name()),
            one.fanOuts(),
            one.seen(),
            one.costNanos(),
            one.lagNanos(),
            id(one.worst().parent()),
            id(one.worst().lastSpan()),
            one.stragglers().stream()
                .map(
                    last ->
                        process(last.process())
                            + last.times()
                            + " of "
                            + last.fanOuts()
                            + last.isAlways()
                            + last.costNanos())
                .toList(),
            one.tails())
        .toString();
  }

  private String agentRun(AgentRuns.AgentRun one) {
    return List.of(
            one.id(),
            id(one.span()),
            one.open() == null ? "" : one.open().spanId() + one.open().steps(),
            one.state(),
            one.totalReward(),
            one.startEpochNanos(),
            one.nanos(),
            one.steps().stream().map(step -> id(step.span()) + step.cumulativeReward()).toList())
        .toString();
  }

  private String finding(Finding one) {
    Finding.WaitedFor waitedFor = one.waitedFor();
    return List.of(
            one.kind(),
            name(one.name()),
            one.processes().stream().map(this::process).toList(),
            one.host(),
            one.steps().stream().map(this::step).toList(),
            one.savesNanos(),
            one.ratio(),
            one.times(),
            one.of(),
            ids(one.evidence()),
            name(one.below().waitedForIn()),
            one.below().isItself(),
            name(one.below().part()),
            one.below().share(),
            one.hosts(),
            waitedFor == null
                ? ""
                : List.of(name(waitedFor.name()), waitedFor.gapNanos(), waitedFor.lastTimes()))
        .toString();
  }
}
