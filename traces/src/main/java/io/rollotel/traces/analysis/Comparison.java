package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What got slower or faster from one run to another, beyond what chance explains.
 *
 * <p>What is compared are values per step: its wall time, the time of each phase, and the mean
 * duration of the spans of each name in it. A change is significant if a Mann–Whitney U test,
 * adjusted after Benjamini and Hochberg for the number of comparisons, finds a difference at 5 %,
 * and if the medians differ by 1 % or more.
 */
public final class Comparison {

  /** What is compared. */
  public enum Kind {
    STEP,
    PHASE,
    NAME
  }

  /**
   * One comparison.
   *
   * @param ratio of the medians, the later by the earlier; infinite from nothing to something
   * @param pValue adjusted
   */
  public record Change(
      Kind kind,
      String name,
      int before,
      int after,
      long medianBeforeNanos,
      long medianAfterNanos,
      double ratio,
      double pValue) {

    public boolean isSignificant() {
      return pValue <= SIGNIFICANCE && Math.abs(ratio - 1) >= LEAST_EFFECT;
    }
  }

  private static final double SIGNIFICANCE = 0.05;
  private static final double LEAST_EFFECT = 0.01;

  private final RunAnalysis before;
  private final RunAnalysis after;
  private final List<Change> changes;

  /** Names that one of the runs alone has. */
  private final List<String> gone;

  private final List<String> added;

  public Comparison(RunAnalysis before, RunAnalysis after) {
    this.before = before;
    this.after = after;
    Map<String, long[]> namesBefore = names(before);
    Map<String, long[]> namesAfter = names(after);
    this.gone = without(namesBefore.keySet(), namesAfter.keySet());
    this.added = without(namesAfter.keySet(), namesBefore.keySet());
    List<Change> raw = new ArrayList<>();
    raw.add(change(Kind.STEP, "", walls(before), walls(after)));
    Map<String, long[]> phasesBefore = phases(before);
    Map<String, long[]> phasesAfter = phases(after);
    Set<String> phases = new TreeSet<>(phasesBefore.keySet());
    phases.addAll(phasesAfter.keySet());
    for (String phase : phases) {
      raw.add(
          change(
              Kind.PHASE,
              phase,
              phasesBefore.getOrDefault(phase, new long[before.steps().all().size()]),
              phasesAfter.getOrDefault(phase, new long[after.steps().all().size()])));
    }
    for (String name : new TreeSet<>(namesBefore.keySet())) {
      long[] values = namesAfter.get(name);
      if (values != null) {
        raw.add(change(Kind.NAME, name, namesBefore.getOrDefault(name, new long[0]), values));
      }
    }
    this.changes = adjusted(raw);
  }

  private static List<String> without(Set<String> of, Set<String> those) {
    return of.stream().filter(name -> !those.contains(name)).sorted().toList();
  }

  private static long[] walls(RunAnalysis run) {
    return run.steps().all().stream().mapToLong(Steps.Step::wallNanos).toArray();
  }

  /** For each phase what every step had of it, 0 where it had none. */
  private static Map<String, long[]> phases(RunAnalysis run) {
    List<Steps.Step> steps = run.steps().all();
    Map<String, long[]> phases = new HashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      for (Steps.PhaseTime phase : steps.get(i).phases()) {
        phases
                .computeIfAbsent(
                    run.spans().names().text(phase.name()), name -> new long[steps.size()])[i] =
            phase.nanos();
      }
    }
    return phases;
  }

  /**
   * For each name the mean of its durations in every step that has any: spans of one step are not
   * independent of each other. Outside steps, in every trace.
   */
  private static Map<String, long[]> names(RunAnalysis run) {
    Spans spans = run.spans();
    Map<Integer, Map<Integer, long[]>> sums = new HashMap<>(); // name, unit: count and total
    for (int span : run.members()) {
      if (spans.isTimed(span)) {
        long[] sum =
            sums.computeIfAbsent(spans.name(span), name -> new HashMap<>())
                .computeIfAbsent(run.steps().unit(span), unit -> new long[2]);
        sum[0]++;
        sum[1] += spans.nanos(span);
      }
    }
    Map<String, long[]> names = new HashMap<>();
    sums.forEach(
        (name, byUnit) ->
            names.put(
                spans.names().text(name),
                byUnit.values().stream().mapToLong(sum -> sum[1] / sum[0]).sorted().toArray()));
    return names;
  }

  private static Change change(Kind kind, String name, long[] before, long[] after) {
    long medianBefore = median(before);
    long medianAfter = median(after);
    double ratio =
        medianBefore == medianAfter
            ? 1
            : medianBefore == 0 ? Double.POSITIVE_INFINITY : (double) medianAfter / medianBefore;
    return new Change(
        kind,
        name,
        before.length,
        after.length,
        medianBefore,
        medianAfter,
        ratio,
        MannWhitney.pValue(before, after));
  }

  private static long median(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? 0 : NameTotals.percentile(sorted, 50);
  }

  private static List<Change> adjusted(List<Change> raw) {
    double[] pValues = MannWhitney.adjusted(raw.stream().mapToDouble(Change::pValue).toArray());
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < pValues.length; i++) {
      Change c = raw.get(i);
      changes.add(
          new Change(
              c.kind,
              c.name,
              c.before,
              c.after,
              c.medianBeforeNanos,
              c.medianAfterNanos,
              c.ratio,
              pValues[i]));
    }
    Comparator<Change> byEffect =
        Comparator.comparingLong(c -> Math.abs(c.medianAfterNanos - c.medianBeforeNanos));
    changes.sort(Comparator.comparing(Change::kind).thenComparing(byEffect.reversed()));
    return changes;
  }

  /** All comparisons, steps first, then phases, then names. */
  public List<Change> changes() {
    return changes;
  }

  /**
   * Whether a significant change made anything slower by so much.
   *
   * @param percent of the earlier median
   */
  public boolean isSlower(double percent) {
    return changes.stream()
        .anyMatch(change -> change.isSignificant() && change.ratio >= 1 + percent / 100);
  }

  /** Names of the later run that the earlier does not have. */
  public List<String> newNames() {
    return added;
  }

  /** Names of the earlier run that the later does not have. */
  public List<String> goneNames() {
    return gone;
  }

  public RunAnalysis before() {
    return before;
  }

  public RunAnalysis after() {
    return after;
  }
}
