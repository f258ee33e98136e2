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
import java.util.stream.Collectors;

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

  /** The others may have grown by this share of what these did, at most, or all got slower. */
  private static final double MOST_OF_OTHERS = 0.5;

  /** If they have grown by less, they did not get slower. */
  private static final double LITTLE = 0.2;

  /** Fewer others do not show how much growths vary. */
  private static final int FEWEST_OTHERS = 3;

  private record Found(Pair pair, double pValue) {}

  /** Median times of the workers that got slower and of the others. */
  private record Times(long before, long after, long othersBefore, long othersAfter) {

    /**
     * Whether the others have grown by that share of what these have, at most: in time and as a
     * factor, because workers may differ all the time.
     */
    boolean isOthersShare(double most) {
      return othersAfter - othersBefore <= most * (after - before)
          && Math.log((double) othersAfter / othersBefore)
              <= most * Math.log((double) after / before);
    }
  }

  /** The workers of one name in both runs. */
  private record Name(Comparison.Change change, List<Sample> before, WorkerPairs workers) {

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
    return new Name(change, before, WorkerPairs.of(before, after));
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
    Times times = times(name, slower.stream().map(Found::pair).toList(), others);
    SlowerWorkers found = found(name, slower, others.size(), times);
    boolean isLong =
        found.excessNanos() >= LEAST_OF_STEP * comparison.steps().afterNanos()
            || name.change.isSlower();
    if (times.isOthersShare(MOST_OF_OTHERS) && isLong) {
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

  private static Times times(Name name, List<Pair> slower, List<Pair> others) {
    return new Times(
        WorkerSamples.medianNanos(slower.stream().map(Pair::before).toList()),
        WorkerSamples.medianNanos(slower.stream().map(Pair::after).toList()),
        WorkerSamples.medianNanos(
            name.workers.areMatched() ? others.stream().map(Pair::before).toList() : name.before),
        WorkerSamples.medianNanos(others.stream().map(Pair::after).toList()));
  }

  private static SlowerWorkers found(Name name, List<Found> slower, int others, Times times) {
    List<Sample> samples =
        slower.stream()
            .map(found -> found.pair.after())
            .sorted(
                Comparator.comparingLong(Sample::medianNanos)
                    .reversed()
                    .thenComparing(Sample::process, TracedProcess.ORDER))
            .toList();
    List<TracedProcess> workers = samples.stream().map(Sample::process).toList();
    return new SlowerWorkers(
        name.change.name(),
        workers,
        host(workers, name.workers.after().stream().map(Sample::process).toList()),
        name.workers.areMatched(),
        others,
        times.before,
        times.after,
        times.othersBefore,
        times.othersAfter,
        WorkerSamples.medianSpans(samples),
        times.isOthersShare(LITTLE),
        slower.stream().mapToDouble(Found::pValue).max().orElse(1));
  }

  /** The host of those workers if it has no other one of these, and other hosts have some. */
  private static String host(List<TracedProcess> workers, List<TracedProcess> all) {
    Set<String> hosts = workers.stream().map(TracedProcess::host).collect(Collectors.toSet());
    String host = workers.get(0).host();
    long onHost = all.stream().filter(worker -> worker.host().equals(host)).count();
    boolean isWhole = hosts.size() == 1 && onHost == workers.size() && onHost < all.size();
    return isWhole && workers.size() > 1 ? host : "";
  }
}
