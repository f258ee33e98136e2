package io.rollotel.traces.analysis;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Whether a run passes: nothing got slower than allowed, and there were enough values to tell.
 *
 * @param percent how much slower than the earlier median or mean something may get, exclusive
 */
public record Gate(Scope scope, double percent) {

  /** The values that are checked. */
  public enum Scope {
    /** Steps, phases and names. */
    ANY,
    /** The wall time of steps, by median and by mean. */
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
    List<Comparison.Change> changes =
        comparison.byEffect().stream()
            .filter(change -> scope == Scope.ANY || isOfSteps(change))
            .toList();
    double limit = 1 + percent / 100;
    List<Comparison.Change> slower =
        changes.stream()
            .filter(Comparison.Change::isSignificant)
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
            .filter(Comparison.Change::isTooFew)
            .filter(change -> change.kind() != Comparison.Kind.MEAN) // as many as steps
            .filter(
                change -> change.kind() == Comparison.Kind.STEP || change.interval().low() >= limit)
            .toList();
    return tooFew.isEmpty()
        ? new Ruling(Outcome.PASSED, List.of())
        : new Ruling(Outcome.TOO_FEW, tooFew);
  }

  private static boolean isOfSteps(Comparison.Change change) {
    return change.kind() == Comparison.Kind.STEP || change.kind() == Comparison.Kind.MEAN;
  }

  private static long growthNanos(Comparison.Change change) {
    return change.afterNanos() - change.beforeNanos();
  }
}
