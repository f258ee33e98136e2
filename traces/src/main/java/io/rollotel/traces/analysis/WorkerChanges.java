package io.rollotel.traces.analysis;

import io.rollotel.traces.analysis.WorkerPairs.Pair;
import io.rollotel.traces.analysis.WorkerSamples.Sample;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the workers that got slower while others with the same work did not.
 *
 * <p>A worker got slower if two Mann–Whitney U tests say so: that of its mean durations in the
 * steps, and that of these durations divided by its peers' median in the same step, which does not
 * change if all get slower alike. Both are adjusted, after Bonferroni, for the number of workers
 * compared, of all names. These tests take steps as independent. Times that go up and down slowly
 * are not, and workers of two runs may be on unlike machines: so the ratio must also have grown by
 * more than the growths of the others vary, if these are enough to show it.
 */
final class WorkerChanges {

  private static final double SIGNIFICANCE = 0.05;

  /** Equal workers of two runs, such as on other hosts, often differ by less. */
  private static final double LEAST_TIMES = 1.05;

  /** Of a name that did not get slower as a whole. */
  private static final double LEAST_TIMES_OF_OTHERS = PeerTimes.SLOW;

  /** Of such a name: by how much its workers got slower, as a share of the step. */
  private static final double LEAST_OF_STEP = 0.01;

  /** Fewer others do not show how much growths vary. */
  private static final int FEWEST_OTHERS = 3;

  private record Found(Pair pair, double pValue) {}

  /** The workers of one name in both runs. */
  private record Name(
      Comparison.Change change, List<Sample> before, List<Sample> after, WorkerPairs workers) {

    double leastTimes() {
      return change.isSlower() ? LEAST_TIMES : LEAST_TIMES_OF_OTHERS;
    }
  }

  private final Comparison comparison;

  private WorkerChanges(Comparison comparison) {
    this.comparison = comparison;
  }

  /** The largest excess first. */
  static List<SlowerWorkers> of(Comparison comparison) {
    return new WorkerChanges(comparison).find();
  }

  private List<SlowerWorkers> find() {
    // One of many workers hardly changes the mean of all, but steps wait for it.
    if (comparison.byEffect().stream().noneMatch(Comparison.Change::isSlower)) {
      return List.of();
    }
    List<Comparison.Change> names =
        comparison.changes().stream()
            .filter(change -> change.kind() == Comparison.Kind.NAME)
            .toList();
    // Twice, because the samples of all names at once may take as much as both totals.
    int tests = names.stream().mapToInt(change -> name(change).workers.pairs().size()).sum();
    List<SlowerWorkers> all = new ArrayList<>();
    names.forEach(change -> find(name(change), tests, all));
    all.sort(
        Comparator.comparingLong(SlowerWorkers::excessNanos)
            .reversed()
            .thenComparing(SlowerWorkers::name));
    return List.copyOf(all);
  }

  private Name name(Comparison.Change change) {
    List<Sample> before = new WorkerSamples(comparison.before(), change.name()).all();
    List<Sample> after = new WorkerSamples(comparison.after(), change.name()).all();
    return new Name(change, before, after, WorkerPairs.of(before, after));
  }

  private void find(Name name, int tests, List<SlowerWorkers> all) {
    List<Found> slower = new ArrayList<>();
    for (Pair pair : name.workers.pairs()) {
      double pValue = pValue(pair, name.leastTimes(), tests);
      if (pValue <= SIGNIFICANCE) {
        slower.add(new Found(pair, pValue));
      }
    }
    List<Pair> others = others(name, slower);
    slower.sort(Comparator.comparingDouble(found -> growth(found.pair)));
    while (!slower.isEmpty() && !standsOut(slower.get(0).pair, others, name)) {
      others.add(slower.remove(0).pair);
    }
    if (slower.isEmpty() || others.size() < slower.size()) {
      return;
    }
    SlowerWorkers found = found(name, slower, others);
    boolean isLong =
        found.excessNanos() >= LEAST_OF_STEP * comparison.steps().afterNanos()
            || name.change.isSlower();
    if (found.areClear() && isLong) {
      all.add(found);
    }
  }

  /** Adjusted; 1 if it did not get slower, or as little as is usual. */
  private static double pValue(Pair pair, double leastTimes, int tests) {
    Sample before = pair.before();
    Sample after = pair.after();
    boolean isSlower =
        after.medianNanos() >= leastTimes * before.medianNanos()
            && after.medianRatio() >= leastTimes * before.medianRatio();
    if (!isSlower) {
      return 1; // most are not, and a test takes longer than this
    }
    double ofTime = MannWhitney.pValue(before.nanos(), after.nanos());
    double ofRatio = MannWhitney.pValue(before.ratios(), after.ratios());
    return Math.min(1, tests * Math.max(ofTime, ofRatio));
  }

  private static List<Pair> others(Name name, List<Found> slower) {
    Set<Pair> found = new HashSet<>();
    slower.forEach(one -> found.add(one.pair));
    List<Pair> others = new ArrayList<>(name.workers.pairs());
    others.removeIf(found::contains);
    return others;
  }

  /** The logarithm of the factor by which the ratio to its peers has grown. */
  private static double growth(Pair pair) {
    return Math.log((double) pair.after().medianRatio() / pair.before().medianRatio());
  }

  /** Whether one more growth like the others' is rarely so large: a t test, one-sided. */
  private static boolean standsOut(Pair pair, List<Pair> others, Name name) {
    double[] growths =
        others.stream().mapToDouble(WorkerChanges::growth).filter(Double::isFinite).toArray();
    if (growths.length < FEWEST_OTHERS) {
      return true;
    }
    double mean = Arrays.stream(growths).average().orElse(0);
    double squares = 0;
    for (double growth : growths) {
      squares += (growth - mean) * (growth - mean);
    }
    double variance = squares / (growths.length - 1) * (1 + 1.0 / growths.length);
    double above = growth(pair) - mean;
    return above > 0
        && (variance == 0
            || StudentT.twoSided(above / Math.sqrt(variance), growths.length - 1) / 2
                <= SIGNIFICANCE / name.workers.pairs().size());
  }

  private static SlowerWorkers found(Name name, List<Found> slower, List<Pair> others) {
    List<Pair> pairs =
        slower.stream()
            .map(Found::pair)
            .sorted(
                Comparator.comparingLong((Pair pair) -> pair.after().medianNanos())
                    .reversed()
                    .thenComparing(pair -> pair.after().process(), TracedProcess.ORDER))
            .toList();
    List<TracedProcess> workers = pairs.stream().map(pair -> pair.after().process()).toList();
    List<TracedProcess> all = name.after.stream().map(Sample::process).toList();
    boolean areMatched = name.workers.areMatched();
    return new SlowerWorkers(
        name.change.name(),
        workers,
        SlowerWorkers.host(workers, all),
        areMatched,
        others.size(),
        WorkerSamples.medianNanos(pairs.stream().map(Pair::before).toList()),
        WorkerSamples.medianNanos(pairs.stream().map(Pair::after).toList()),
        WorkerSamples.medianNanos(
            areMatched ? others.stream().map(Pair::before).toList() : name.before),
        WorkerSamples.medianNanos(others.stream().map(Pair::after).toList()),
        WorkerSamples.medianSpans(pairs.stream().map(Pair::after).toList()),
        slower.stream().mapToDouble(Found::pValue).max().orElse(1));
  }
}
