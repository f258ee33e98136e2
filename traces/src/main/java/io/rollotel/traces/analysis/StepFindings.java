package io.rollotel.traces.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Steps that took longer than others: the first ones, ones at equal distances, a growing trend, or
 * single ones. A step belongs to one finding at most.
 *
 * <p>The saving of such a finding is the time by which its steps exceed the median of the others.
 */
final class StepFindings {

  /** A slow step takes at least this many times the median. */
  private static final double SLOW = 1.3;

  /** It is also this many times the usual distance away from the median. */
  private static final double FAR = 4;

  private static final int FEWEST_STEPS = 3;
  private static final int FEWEST_FOR_A_TREND = 10;
  private static final int FEWEST_PERIODS = 3;
  private static final double TREND_SIGNIFICANCE = 0.01;
  private static final double LEAST_TREND = 1.1;
  private static final int MOST_SINGLE_STEPS = 3;

  private final List<Steps.Step> steps;
  private final List<Finding> found = new ArrayList<>();

  private StepFindings(List<Steps.Step> steps) {
    this.steps = steps;
  }

  /** The findings about steps, which are given by start. */
  static List<Finding> of(List<Steps.Step> steps) {
    StepFindings findings = new StepFindings(steps);
    if (steps.size() >= FEWEST_STEPS) {
      findings.find();
    }
    return findings.found;
  }

  /**
   * Names the process that the others wait for in each of the longer steps at equal distances, if
   * that is half of what these exceed the others by.
   */
  static Finding withStraggler(RunTotals run, Finding finding) {
    if (finding.kind() != Finding.Kind.PERIODIC_STEP) {
      return finding;
    }
    FanOuts.OfStep first = run.costliestStraggler(finding.steps().get(0));
    long costNanos = 0;
    for (Steps.Step step : finding.steps()) {
      FanOuts.OfStep one = run.costliestStraggler(step);
      if (first == null
          || one == null
          || one.process() != first.process()
          || one.name() != first.name()) {
        return finding;
      }
      costNanos += one.costNanos();
    }
    return first == null || 2 * costNanos < finding.savesNanos()
        ? finding
        : new Finding(
            finding.kind(),
            first.name(),
            Finding.Where.of(List.of(first.process())),
            finding.steps(),
            finding.savesNanos(),
            finding.seen(),
            finding.evidence());
  }

  private void find() {
    List<Steps.Step> rest = withoutWarmUp();
    if (findTrend(rest)) {
      return;
    }
    int[] slow = slow(rest);
    List<Steps.Step> longer = Arrays.stream(slow).mapToObj(rest::get).toList();
    int period = period(slow, rest.size());
    if (period > 0) {
      List<Steps.Step> others =
          IntStream.range(0, rest.size())
              .filter(i -> Arrays.binarySearch(slow, i) < 0)
              .mapToObj(rest::get)
              .toList();
      add(Finding.Kind.PERIODIC_STEP, longer, others, period);
      return;
    }
    longer.stream()
        .sorted(Comparator.comparingLong(Steps.Step::wallNanos).reversed())
        .limit(MOST_SINGLE_STEPS)
        .forEach(step -> add(Finding.Kind.SLOW_STEP, List.of(step), rest, 0));
  }

  /** The first steps count as warm-up as long as each takes much longer than all later ones. */
  private List<Steps.Step> withoutWarmUp() {
    int most = steps.size() / 5;
    long usual = median(steps.subList(most, steps.size()));
    int count = 0;
    while (usual > 0 && count < most && steps.get(count).wallNanos() >= SLOW * usual) {
      count++;
    }
    List<Steps.Step> rest = steps.subList(count, steps.size());
    if (count > 0) {
      add(Finding.Kind.WARM_UP, steps.subList(0, count), rest, 0);
    }
    return rest;
  }

  /** The second half differs from the first, and the last third is longer than the first. */
  private boolean findTrend(List<Steps.Step> rest) {
    if (rest.size() < FEWEST_FOR_A_TREND) {
      return false;
    }
    int third = rest.size() / 3;
    long before = median(rest.subList(0, third));
    long after = median(rest.subList(rest.size() - third, rest.size()));
    long[] walls = rest.stream().mapToLong(Steps.Step::wallNanos).toArray();
    int half = walls.length / 2;
    double pValue =
        MannWhitney.pValue(
            Arrays.copyOf(walls, half), Arrays.copyOfRange(walls, half, walls.length));
    if (before == 0 || after < LEAST_TREND * before || pValue > TREND_SIGNIFICANCE) {
      return false;
    }
    long saves = 0;
    for (long wall : walls) {
      saves += Math.max(0, wall - before);
    }
    List<Integer> evidence = List.of(rest.get(0).span(), rest.get(walls.length - 1).span());
    double ratio = (double) after / before;
    found.add(
        finding(
            Finding.Kind.TREND,
            rest,
            saves,
            ratio,
            walls.length,
            evidence,
            LongerPart.of(
                rest.subList(rest.size() - third, rest.size()), rest.subList(0, third), before)));
    return true;
  }

  /** The indexes of steps that are much longer than usual, given how the other steps vary. */
  private static int[] slow(List<Steps.Step> rest) {
    long usual = median(rest);
    long[] walls = rest.stream().mapToLong(Steps.Step::wallNanos).toArray();
    long distance = LowerMedian.of(Arrays.stream(walls).map(wall -> Math.abs(wall - usual)));
    return IntStream.range(0, walls.length)
        .filter(i -> usual > 0 && walls[i] >= SLOW * usual && walls[i] - usual >= FAR * distance)
        .toArray();
  }

  /** The distance from each slow step to the next, if it is always the same; otherwise 0. */
  private static int period(int[] slow, int count) {
    if (slow.length < FEWEST_PERIODS) {
      return 0;
    }
    int period = slow[1] - slow[0];
    for (int i = 2; i < slow.length; i++) {
      if (slow[i] - slow[i - 1] != period) {
        return 0;
      }
    }
    boolean isFromBeginToEnd = slow[0] < period && count - slow[slow.length - 1] <= period;
    return period > 1 && isFromBeginToEnd ? period : 0;
  }

  private void add(Finding.Kind kind, List<Steps.Step> of, List<Steps.Step> others, int period) {
    long usual = median(others);
    long saves = of.stream().mapToLong(step -> Math.max(0, step.wallNanos() - usual)).sum();
    List<Steps.Step> longestFirst =
        of.stream().sorted(Comparator.comparingLong(Steps.Step::wallNanos).reversed()).toList();
    found.add(
        finding(
            kind,
            of,
            saves,
            usual == 0 ? 0 : mean(of) / usual,
            period == 0 ? of.size() : period,
            longestFirst.stream().limit(Findings.EVIDENCE).map(Steps.Step::span).toList(),
            LongerPart.of(of, others, usual)));
  }

  private Finding finding(
      Finding.Kind kind,
      List<Steps.Step> of,
      long saves,
      double ratio,
      int times,
      List<Integer> evidence,
      Finding.Below part) {
    return new Finding(
        kind,
        -1,
        Finding.Where.ANYWHERE,
        List.copyOf(of),
        saves,
        new Finding.Seen(ratio, times, steps.size()),
        evidence,
        part);
  }

  private static double mean(List<Steps.Step> of) {
    return of.stream().mapToLong(Steps.Step::wallNanos).average().orElse(0);
  }

  private static long median(List<Steps.Step> of) {
    return LowerMedian.of(of.stream().mapToLong(Steps.Step::wallNanos));
  }
}
