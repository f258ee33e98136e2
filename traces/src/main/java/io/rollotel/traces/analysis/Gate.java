package io.rollotel.traces.analysis;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Whether a run passes: nothing got slower than allowed, and there were enough values to tell.
 *
 * @param percent how much slower than the earlier median something may get, exclusive
 */
public record Gate(Scope scope, double percent) {

  /** The values that are checked. */
  public enum Scope {
    /** Steps, phases and names. */
    ANY,
    /** The wall time of steps: one comparison, whose p needs no adjustment. */
    STEPS;

    /** As the user writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The result of the gate. */
  public enum Outcome {
    PASSED,
    SLOWER,
    TOO_FEW
  }

  /**
   * The outcome and its reasons.
   *
   * @param because the most important reasons first; empty for a run that passed
   */
  public record Ruling(Outcome outcome, List<Comparison.Change> because) {}

  public Ruling rule(Comparison comparison) {
    return scope == Scope.STEPS
        ? rule(List.of(comparison.steps()), Comparison.Change::alone)
        : rule(comparison.byEffect(), Comparison.Change::verdict);
  }

  private Ruling rule(
      List<Comparison.Change> changes, Function<Comparison.Change, Comparison.Verdict> verdict) {
    double limit = 1 + percent / 100;
    List<Comparison.Change> slower =
        changes.stream()
            .filter(change -> verdict.apply(change) == Comparison.Verdict.DIFFERENT)
            .filter(change -> change.ratio() >= limit)
            .sorted(Comparator.comparingLong(Gate::growthNanos).reversed())
            .toList();
    if (!slower.isEmpty()) {
      return new Ruling(Outcome.SLOWER, slower);
    }
    // The steps decide. Many names occur only once in a run, and a gate that failed for each of
    // them would never pass. So a name counts only if its whole interval is too slow.
    List<Comparison.Change> tooFew =
        changes.stream()
            .filter(change -> verdict.apply(change) == Comparison.Verdict.TOO_FEW)
            .filter(change -> isStep(change) || change.interval().low() >= limit)
            .toList();
    return tooFew.isEmpty()
        ? new Ruling(Outcome.PASSED, List.of())
        : new Ruling(Outcome.TOO_FEW, tooFew);
  }

  private static boolean isStep(Comparison.Change change) {
    return change.kind() == Comparison.Kind.STEP;
  }

  private static long growthNanos(Comparison.Change change) {
    return change.medianAfterNanos() - change.medianBeforeNanos();
  }
}
