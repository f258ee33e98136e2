package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.PathShares;
import io.rollotel.traces.analysis.Problems;
import io.rollotel.traces.analysis.Queues;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The top of a report: the three questions, answered in words. */
final class SummaryText {

  private static final int NAME_COLUMNS = 40;
  private static final int SENTENCE_NAME_COLUMNS = 20;
  private static final int LISTED = 5;

  private final RunAnalysis run;
  private final PrintWriter out;

  SummaryText(RunAnalysis run, PrintWriter out) {
    this.run = run;
    this.out = out;
  }

  void print() {
    Problems problems = run.problems();
    out.printf(
        "Run %s, started %s, took %s%n",
        TextFormat.text(run.runId(), FilesText.RUN_ID_COLUMNS),
        TextFormat.start(run.startEpochNanos()),
        TextFormat.duration(run.wallNanos()));
    out.printf(
        "  %s, %s, %s, %s%n",
        count(problems.traces(), "trace", "traces"),
        count(run.members().length, "span", "spans"),
        count(run.workers().all().size(), "process", "processes"),
        count(problems.errors(), "error", "errors"));
    missing(problems);
    out.println();
    timeSpent();
    out.println();
    criticalPath();
    out.println();
    bottleneck();
  }

  private void missing(Problems problems) {
    if (problems.unended() != 0) {
      out.printf(
          "  %s no root: it had not ended, or was lost%n",
          count(problems.unended(), "trace has", "traces have"));
    }
    if (problems.orphans() != 0) {
      out.printf(
          "  %s not in the file%n",
          count(problems.orphans(), "span whose parent is", "spans whose parent is"));
    }
    if (problems.backwards() != 0) {
      out.printf(
          "  %s before the start, counted as 0 ns%n",
          count(problems.backwards(), "span that ends", "spans that end"));
    }
    if (problems.untimed() != 0) {
      out.printf("  %s without times%n", count(problems.untimed(), "span", "spans"));
    }
    for (ClockSkew.Hosts hosts : run.skews()) {
      if (hosts.isSkewed()) {
        boolean isAhead = hosts.estimateNanos() > 0;
        out.printf(
            "  clocks: %s is about %s ahead of %s (give or take %s); no time is corrected%n",
            TextFormat.name(isAhead ? hosts.second() : hosts.first(), 16),
            TextFormat.duration(Math.abs(hosts.estimateNanos())),
            TextFormat.name(isAhead ? hosts.first() : hosts.second(), 16),
            TextFormat.duration(hosts.uncertaintyNanos()));
      }
    }
  }

  /** What the steps are called in a sentence. */
  private String steps(long number) {
    return run.steps().areTraces()
        ? count(number, "trace", "traces")
        : count(number, "step", "steps");
  }

  private void timeSpent() {
    Steps steps = run.steps();
    long wall = steps.wallNanos();
    out.printf(
        "Where is the time spent? %s, %s together, median %s:%n",
        steps(steps.all().size()),
        TextFormat.duration(wall),
        TextFormat.duration(steps.medianWallNanos()));
    List<Steps.Phase> phases = steps.phases();
    for (Steps.Phase phase : phases.subList(0, Math.min(LISTED, phases.size()))) {
      share(phase.totalNanos(), wall, run.spans().names().text(phase.name()));
    }
    if (phases.size() > LISTED) {
      long others =
          phases.subList(LISTED, phases.size()).stream().mapToLong(Steps.Phase::totalNanos).sum();
      share(others, wall, count(phases.size() - LISTED, "other phase", "other phases"));
    }
    share(steps.restNanos(), wall, "unaccounted: in no child of the step");
  }

  private void criticalPath() {
    PathShares path = run.path();
    out.println("What is the critical path? Work that the steps could not end without, by span:");
    for (PathShares.Share share : path.names().stream().limit(LISTED).toList()) {
      share(share.nanos(), path.totalNanos(), run.spans().names().text(share.number()));
    }
    if (path.processes().size() > 1) {
      out.println("  and by process:");
      for (PathShares.Share share : path.processes().stream().limit(LISTED).toList()) {
        share(
            share.nanos(), path.totalNanos(), run.spans().processes().get(share.number()).label());
      }
    }
  }

  private void share(long nanos, long ofNanos, String what) {
    out.printf(
        "  %5s  %-9s %s%n",
        percent(nanos, ofNanos), TextFormat.duration(nanos), TextFormat.text(what, NAME_COLUMNS));
  }

  static String percent(long nanos, long ofNanos) {
    return ofNanos == 0 ? "0%" : TextFormat.percent((double) nanos / ofNanos);
  }

  private void bottleneck() {
    out.println("Which step or worker is the bottleneck?");
    slowestStep();
    straggler();
    bubble();
    queue();
  }

  private void slowestStep() {
    Steps steps = run.steps();
    Steps.Step slowest =
        steps.all().stream().max(Comparator.comparingLong(Steps.Step::wallNanos)).orElse(null);
    if (slowest == null) {
      out.println("  no step was recorded");
      return;
    }
    String which =
        steps.areTraces()
            ? "trace " + run.spans().traceIdOf(slowest.span())
            : slowest.label().isEmpty()
                ? "the step of trace " + run.spans().traceIdOf(slowest.span())
                : "step " + TextFormat.text(slowest.label(), SENTENCE_NAME_COLUMNS);
    long median = steps.medianWallNanos();
    out.printf(
        Locale.ROOT,
        "  %s took longest: %s, %.1f times the median%n",
        which,
        TextFormat.duration(slowest.wallNanos()),
        median == 0 ? 1.0 : (double) slowest.wallNanos() / median);
  }

  private void straggler() {
    if (run.fanOuts().isEmpty()) {
      return;
    }
    FanOuts.Totals worst = run.fanOuts().get(0);
    FanOuts.Straggler first = worst.stragglers().get(0);
    out.printf(
        "  %s was last in %d of %s of %s%s,%n    and the other workers waited %s for it (%s of the"
            + " time of all steps)%n",
        TextFormat.text(run.spans().processes().get(first.process()).label(), 28),
        first.times(),
        count(worst.fanOuts(), "fan-out", "fan-outs"),
        TextFormat.name(run.spans().names().text(worst.name()), SENTENCE_NAME_COLUMNS),
        worst.isAlwaysTheSame() ? ", always" : "",
        TextFormat.duration(first.costNanos()),
        percent(first.costNanos(), run.steps().wallNanos()));
  }

  private void bubble() {
    List<Workers.Worker> idle =
        run.workers().all().stream()
            .filter(worker -> !worker.isDriver() && worker.stepWallNanos() > 0)
            .sorted(Comparator.comparingDouble(Workers.Worker::bubbleShare).reversed())
            .toList();
    if (idle.isEmpty()) {
      return;
    }
    long wall = idle.stream().mapToLong(Workers.Worker::stepWallNanos).sum();
    long busy = idle.stream().mapToLong(Workers.Worker::stepBusyNanos).sum();
    out.printf(
        "  %s stood idle for %s of the time of the steps, most of all%n    %s, for %s%n",
        count(idle.size(), "worker", "workers"),
        percent(wall - busy, wall),
        TextFormat.text(idle.get(0).process().label(), NAME_COLUMNS),
        TextFormat.percent(idle.get(0).bubbleShare()));
  }

  private void queue() {
    if (run.queues().isEmpty()) {
      return;
    }
    Queues.Totals longest = run.queues().get(0);
    out.printf(
        "  calls of %s waited %s in queues before they worked %s%n",
        TextFormat.name(run.spans().names().text(longest.name()), SENTENCE_NAME_COLUMNS),
        TextFormat.duration(longest.waitNanos()),
        TextFormat.duration(longest.workNanos()));
  }
}
