package io.rollotel.traces.analysis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The steps' own time on their critical paths, in which neither a child ran nor a call waited. */
final class UnattributedTime {

  private UnattributedTime() {}

  /**
   * The finding, if no phase has more time. Half of it needs no replay: nothing that a step waits
   * for runs meanwhile. Empty for traces.
   */
  static Optional<Finding> of(RunTotals run) {
    Steps steps = run.steps();
    List<Steps.Phase> phases = steps.phases();
    if (steps.areTraces() || phases.isEmpty()) {
      return Optional.empty();
    }
    int name = run.spans().name(steps.all().get(0).span());
    long ownNanos =
        run.path().names().stream()
            .filter(part -> part.number() == name)
            .mapToLong(PathShares.Share::nanos)
            .sum();
    if (ownNanos <= phases.get(0).totalNanos()
        || ownNanos < Findings.LEAST_PHASE_SHARE * steps.wallNanos()) {
      return Optional.empty();
    }
    return Optional.of(
        new Finding(
            Finding.Kind.UNATTRIBUTED,
            -1,
            Finding.Where.ANYWHERE,
            List.of(),
            ownNanos / 2,
            new Finding.Seen((double) ownNanos / steps.wallNanos(), steps.count(), steps.count()),
            steps.all().stream()
                .sorted(Comparator.comparingLong(Steps.Step::restNanos).reversed())
                .limit(Findings.EVIDENCE)
                .map(Steps.Step::span)
                .toList()));
  }
}
