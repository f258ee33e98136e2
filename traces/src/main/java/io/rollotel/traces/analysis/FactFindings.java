package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Findings whose cost no replay can determine. */
final class FactFindings {

  /** The share of the workers' time in steps; some waiting for others is usual. */
  private static final double LEAST_SHARE = 0.3;

  private final RunTotals run;
  private final Spans spans;
  private final Steps steps;
  private final List<Finding> found = new ArrayList<>();

  private FactFindings(RunTotals run) {
    this.run = run;
    this.spans = run.spans();
    this.steps = run.steps();
  }

  static List<Finding> of(RunTotals run) {
    FactFindings facts = new FactFindings(run);
    if (!facts.steps.areTraces()) {
      facts.idle(); // between requests, a service is idle
    }
    facts.overlappedWork();
    facts.missingRoots();
    return facts.found;
  }

  private void idle() {
    Workers.Idle idle = run.workers().idle();
    if (idle == null || idle.share() < LEAST_SHARE) {
      return;
    }
    Workers.Worker worker = idle.idlest();
    Steps.Step emptiest =
        steps.all().stream()
            .filter(
                step ->
                    run.workers().isAlive(worker, spans.start(step.span()), spans.end(step.span())))
            .max(
                Comparator.comparingLong(
                    step ->
                        step.wallNanos()
                            - run.workers()
                                .busyNanos(
                                    worker, spans.start(step.span()), spans.end(step.span()))))
            .orElseThrow();
    found.add(
        withoutSaving(
            Finding.Kind.IDLE,
            -1,
            new Finding.Where(List.of(worker.processNumber()), worker.process().host(), List.of()),
            new Finding.Seen(idle.share(), idle.workers(), 0),
            List.of(emptiest.span())));
  }

  private void overlappedWork() {
    for (WorkOfName work : run.overlappedWork()) {
      if (work.totalNanos() >= Findings.LEAST_SHARE * steps.wallNanos()) {
        found.add(
            withoutSaving(
                Finding.Kind.OVERLAPPED_WORK,
                work.name(),
                Finding.Where.ANYWHERE,
                Finding.Seen.times(work.count()),
                List.of(work.longest())));
      }
    }
  }

  private void missingRoots() {
    if (run.problems().unended() > 0) {
      found.add(
          withoutSaving(
              Finding.Kind.MISSING_ROOT,
              -1,
              Finding.Where.ANYWHERE,
              Finding.Seen.times(run.problems().unended()),
              run.problems().firstUnended().stream()
                  .map(Problems.Unended::firstSpan)
                  .limit(Findings.EVIDENCE)
                  .toList()));
    }
  }

  private static Finding withoutSaving(
      Finding.Kind kind, int name, Finding.Where where, Finding.Seen seen, List<Integer> evidence) {
    return new Finding(kind, name, where, List.of(), Finding.UNKNOWN, seen, evidence);
  }
}
