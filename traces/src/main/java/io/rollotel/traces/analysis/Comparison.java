package io.rollotel.traces.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What got slower or faster from one run to another, beyond what chance explains.
 *
 * <p>It compares values per step: its wall time, the time of each phase, the time that belongs to
 * no phase, and the mean duration of the spans of each name in it. A change is significant if a
 * Mann–Whitney U test, adjusted after Benjamini and Hochberg for the number of comparisons, finds a
 * difference at 5 %, and if the medians differ by 1 % or more. There are too few values if no
 * possible values could make the test find a difference. The steps' wall time is judged by itself,
 * without an adjustment, and also by its {@linkplain MeanChange mean}.
 */
public final class Comparison {

  /** What is compared. */
  public enum Kind {
    STEP,
    /** The mean time of steps; the times of all others are medians. */
    MEAN,
    PHASE,
    /** The time of a step that belongs to no phase, if there is much of it. */
    UNATTRIBUTED,
    NAME
  }

  /** The result of a comparison. */
  public enum Verdict {
    /** A difference beyond chance. */
    DIFFERENT,
    /** There were enough values to show a clear difference, but they show none. */
    NO_DIFFERENCE,
    /** So few values cannot show a difference, however far apart they are. */
    TOO_FEW
  }

  /**
   * One comparison.
   *
   * @param before how many values the earlier run has
   * @param after how many the later has
   * @param beforeNanos the earlier median, or mean
   * @param ratio the later divided by the earlier; infinite if only the earlier is 0
   * @param interval in which the factor lies
   * @param pValue adjusted, except for steps
   */
  public record Change(
      Kind kind,
      String name,
      int before,
      int after,
      long beforeNanos,
      long afterNanos,
      double ratio,
      RatioInterval interval,
      double pValue,
      Verdict verdict) {

    public boolean isSignificant() {
      return verdict == Verdict.DIFFERENT;
    }

    /** Whether the later is slower, beyond chance. */
    public boolean isSlower() {
      return isSignificant() && ratio > 1;
    }

    public boolean isTooFew() {
      return verdict == Verdict.TOO_FEW;
    }

    private long effectNanos() {
      return Math.abs(afterNanos - beforeNanos);
    }
  }

  static final double SIGNIFICANCE = 0.05;
  private static final double LEAST_EFFECT = 0.01;

  /** Two samples, before the adjustment for the others. */
  private static final class Pair {
    final Kind kind;
    final String name;
    final long[] before;
    final long[] after;
    final double pValue;

    Pair(Kind kind, String name, long[] before, long[] after) {
      this.kind = kind;
      this.name = name;
      this.before = before;
      this.after = after;
      this.pValue = MannWhitney.pValue(before, after);
    }

    /** The smallest p that so many values can have. */
    double leastP() {
      return MannWhitney.p(before.length, after.length, 0);
    }
  }

  private final RunTotals before;
  private final RunTotals after;
  private final List<Change> changes;
  private final Change mean;
  private final Lazy<List<SlowerWorkers>> slowerWorkers = new Lazy<>(() -> WorkerChanges.of(this));

  /** Names that only one of the runs has. */
  private final List<String> gone;

  private final List<String> added;

  public Comparison(RunTotals before, RunTotals after) {
    this.before = before;
    this.after = after;
    Map<String, long[]> namesBefore = before.unitMeans().all(before.spans());
    Map<String, long[]> namesAfter = after.unitMeans().all(after.spans());
    this.gone = without(namesBefore.keySet(), namesAfter.keySet());
    this.added = without(namesAfter.keySet(), namesBefore.keySet());
    List<Pair> pairs = new ArrayList<>();
    pairs.add(new Pair(Kind.STEP, "", walls(before), walls(after)));
    Map<String, long[]> phasesBefore = phases(before);
    Map<String, long[]> phasesAfter = phases(after);
    Set<String> phases = new TreeSet<>(phasesBefore.keySet());
    phases.addAll(phasesAfter.keySet());
    for (String phase : phases) {
      pairs.add(
          new Pair(
              Kind.PHASE,
              phase,
              phasesBefore.getOrDefault(phase, new long[before.steps().all().size()]),
              phasesAfter.getOrDefault(phase, new long[after.steps().all().size()])));
    }
    long[] restBefore = rests(before);
    long[] restAfter = rests(after);
    if (!phases.isEmpty() && (isMuch(restBefore, before) || isMuch(restAfter, after))) {
      pairs.add(new Pair(Kind.UNATTRIBUTED, "", restBefore, restAfter));
    }
    for (String name : new TreeSet<>(namesBefore.keySet())) {
      long[] values = namesAfter.get(name);
      if (values != null) {
        pairs.add(new Pair(Kind.NAME, name, namesBefore.getOrDefault(name, new long[0]), values));
      }
    }
    this.changes = changes(pairs);
    boolean areAll = before.steps().leftOut() == 0 && after.steps().leftOut() == 0;
    this.mean = mean(steps().isTooFew() || !areAll, steady(before), steady(after));
  }

  private static List<String> without(Set<String> of, Set<String> those) {
    return of.stream().filter(name -> !those.contains(name)).sorted().toList();
  }

  private static long[] walls(RunTotals run) {
    return run.steps().all().stream().mapToLong(Steps.Step::wallNanos).toArray();
  }

  private static long[] rests(RunTotals run) {
    return run.steps().all().stream().mapToLong(Steps.Step::restNanos).toArray();
  }

  /** A driver does not need the same time for nothing in two runs, so less is not compared. */
  private static boolean isMuch(long[] rests, RunTotals run) {
    return LowerMedian.of(Arrays.stream(rests)) >= LEAST_EFFECT * run.steps().medianWallNanos();
  }

  /** The same without the first step, which often includes the start of the processes. */
  private static long[] steady(RunTotals run) {
    long[] walls = walls(run);
    boolean isWithoutFirst = walls.length > 1 && !run.steps().areTraces();
    return isWithoutFirst ? Arrays.copyOfRange(walls, 1, walls.length) : walls;
  }

  private static Change mean(boolean isTooFew, long[] before, long[] after) {
    MeanChange found = MeanChange.of(before, after);
    double ratio = ratio(found.beforeNanos(), found.afterNanos());
    Verdict verdict =
        found.pValue() <= MeanChange.SIGNIFICANCE && Math.abs(ratio - 1) >= LEAST_EFFECT
            ? Verdict.DIFFERENT
            : Verdict.NO_DIFFERENCE;
    return new Change(
        Kind.MEAN,
        "",
        before.length,
        after.length,
        found.beforeNanos(),
        found.afterNanos(),
        ratio,
        found.interval(),
        found.pValue(),
        isTooFew ? Verdict.TOO_FEW : verdict);
  }

  private static double ratio(long before, long after) {
    return before == after ? 1 : before == 0 ? Double.POSITIVE_INFINITY : (double) after / before;
  }

  /** For each phase, its time in every step; 0 if the step lacks it. */
  private static Map<String, long[]> phases(RunTotals run) {
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

  private static List<Change> changes(List<Pair> pairs) {
    double[] raw = pairs.stream().mapToDouble(pair -> pair.pValue).toArray();
    double[] adjusted = MannWhitney.adjusted(raw);
    double clearest = MannWhitney.clearest(raw, SIGNIFICANCE);
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < adjusted.length; i++) {
      changes.add(change(pairs.get(i), adjusted[i], clearest));
    }
    return List.copyOf(changes);
  }

  /**
   * The change of a pair.
   *
   * @param clearest the largest p at which one more comparison would be significant beside the
   *     others
   */
  private static Change change(Pair pair, double adjusted, double clearest) {
    long medianBefore = LowerMedian.of(Arrays.stream(pair.before));
    long medianAfter = LowerMedian.of(Arrays.stream(pair.after));
    double ratio = ratio(medianBefore, medianAfter);
    // Steps are what a run is judged by: a comparison of its own, whatever else is compared.
    boolean isStep = pair.kind == Kind.STEP;
    double pValue = isStep ? pair.pValue : adjusted;
    return new Change(
        pair.kind,
        pair.name,
        pair.before.length,
        pair.after.length,
        medianBefore,
        medianAfter,
        ratio,
        RatioInterval.of(pair.before, pair.after),
        pValue,
        verdict(pValue, ratio, pair.leastP() > (isStep ? SIGNIFICANCE : clearest)));
  }

  private static Verdict verdict(double pValue, double ratio, boolean isTooFew) {
    if (pValue <= SIGNIFICANCE) {
      return Math.abs(ratio - 1) >= LEAST_EFFECT ? Verdict.DIFFERENT : Verdict.NO_DIFFERENCE;
    }
    return isTooFew ? Verdict.TOO_FEW : Verdict.NO_DIFFERENCE;
  }

  /** All comparisons: steps first, then phases, then no phase, then names, each by name. */
  public List<Change> changes() {
    return changes;
  }

  /** The same and that of the mean, of each kind the largest effect first. */
  public List<Change> byEffect() {
    return Stream.concat(changes.stream(), Stream.of(mean))
        .sorted(
            Comparator.comparing(Change::kind)
                .thenComparing(Comparator.comparingLong(Change::effectNanos).reversed()))
        .toList();
  }

  /** The comparison of the steps' wall times. */
  public Change steps() {
    return changes.get(0);
  }

  /** The comparison of the steps' mean wall time, without the first step. */
  public Change mean() {
    return mean;
  }

  /** The sum of the steps' wall times in the earlier run. */
  public long totalBeforeNanos() {
    return before.steps().wallNanos();
  }

  /** The same in the later run. */
  public long totalAfterNanos() {
    return after.steps().wallNanos();
  }

  /**
   * The time from the first step's start to the last one's end in the earlier run; 0 if traces
   * count as steps, or were sampled.
   */
  public long extentBeforeNanos() {
    return extentNanos(before);
  }

  /** The same in the later run. */
  public long extentAfterNanos() {
    return extentNanos(after);
  }

  private static long extentNanos(RunTotals run) {
    return run.steps().areTraces() || run.isWeighted() ? 0 : run.steps().overlap().extentNanos();
  }

  /** Workers that got slower while others with the same work did not, the largest excess first. */
  public List<SlowerWorkers> slowerWorkers() {
    return slowerWorkers.get();
  }

  /** Names with clearly more or fewer spans in each step; none if traces count as steps. */
  public List<SpansPerStep.Change> spansPerStep() {
    return SpansPerStep.changes(before, after);
  }

  /** Names of the later run that the earlier does not have. */
  public List<String> newNames() {
    return added;
  }

  /** Names of the earlier run that the later does not have. */
  public List<String> goneNames() {
    return gone;
  }

  public RunTotals before() {
    return before;
  }

  public RunTotals after() {
    return after;
  }
}
