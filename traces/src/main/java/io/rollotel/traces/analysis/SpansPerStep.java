package io.rollotel.traces.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many spans of each name a step has, in two runs. */
public final class SpansPerStep {

  /** The numbers of a name: spans divided by steps. */
  public record Change(String name, double before, double after) {

    private double times() {
      return Math.max(before, after) / Math.min(before, after);
    }
  }

  /** Smaller differences are not worth a line. */
  private static final double LEAST_TIMES = 1.1;

  /** Differences within so many standard deviations of independent calls may be chance. */
  private static final double DEVIATIONS = 3;

  private SpansPerStep() {}

  /** Those that differ clearly, the largest factor first. */
  static List<Change> changes(RunTotals before, RunTotals after) {
    if (before.steps().areTraces() || after.steps().areTraces()) {
      return List.of();
    }
    double stepsBefore = before.steps().count();
    double stepsAfter = after.steps().count();
    Map<String, Long> known = new HashMap<>();
    before.nameTotals().forEach(name -> known.put(name.name(), name.count()));
    List<Change> changes = new ArrayList<>();
    for (NameTotals name : after.nameTotals()) {
      long earlier = known.getOrDefault(name.name(), 0L);
      // Fewer than one in each step, or the same number whatever the number of steps: outside them.
      if (earlier >= stepsBefore && name.count() >= stepsAfter && earlier != name.count()) {
        Change change = new Change(name.name(), earlier / stepsBefore, name.count() / stepsAfter);
        double deviation =
            Math.sqrt(
                earlier / (stepsBefore * stepsBefore) + name.count() / (stepsAfter * stepsAfter));
        if (change.times() >= LEAST_TIMES
            && Math.abs(change.after - change.before) > DEVIATIONS * deviation) {
          changes.add(change);
        }
      }
    }
    changes.sort(Comparator.comparingDouble(Change::times).reversed().thenComparing(Change::name));
    return changes;
  }
}
