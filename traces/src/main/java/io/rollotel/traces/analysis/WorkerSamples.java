package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How long the spans of one name take in each process of a run, step by step, and how that compares
 * with its peers in the step. Steps in which only one process has such spans tell nothing.
 */
final class WorkerSamples {

  private static final double BILLION = 1e9;

  /** A process in the steps in which it has peers; there is one at least. */
  static final class Sample {
    private final TracedProcess process;
    private final long[] nanos;
    private final long[] ratios;
    private final long[] spans;
    private final BitSet steps;

    private Sample(TracedProcess process, long[] nanos, long[] ratios, long[] spans, BitSet steps) {
      this.process = process;
      this.nanos = nanos;
      this.ratios = ratios;
      this.spans = spans;
      this.steps = steps;
    }

    private static Sample of(TracedProcess process, List<long[]> values) {
      BitSet steps = new BitSet();
      values.forEach(value -> steps.set((int) value[3]));
      return new Sample(process, column(values, 0), column(values, 1), column(values, 2), steps);
    }

    private static long[] column(List<long[]> values, int number) {
      return values.stream().mapToLong(value -> value[number]).sorted().toArray();
    }

    /** Several processes as one worker; the one of most steps stands for it. */
    static Sample joined(List<Sample> processes) {
      TracedProcess longest =
          processes.stream()
              .min(
                  Comparator.comparingInt((Sample sample) -> -sample.nanos.length)
                      .thenComparing(Sample::process, TracedProcess.ORDER))
              .orElseThrow()
              .process;
      return new Sample(
          longest,
          sorted(processes, Sample::nanos),
          sorted(processes, Sample::ratios),
          sorted(processes, sample -> sample.spans),
          steps(processes));
    }

    private static long[] sorted(List<Sample> samples, Function<Sample, long[]> values) {
      return samples.stream()
          .flatMapToLong(one -> Arrays.stream(values.apply(one)))
          .sorted()
          .toArray();
    }

    private static BitSet steps(List<Sample> samples) {
      BitSet steps = new BitSet();
      samples.forEach(sample -> steps.or(sample.steps));
      return steps;
    }

    /** In how many steps more than one of them has spans. */
    static int sharedSteps(List<Sample> samples) {
      BitSet steps = new BitSet();
      BitSet shared = new BitSet();
      for (Sample sample : samples) {
        BitSet both = (BitSet) steps.clone();
        both.and(sample.steps);
        shared.or(both);
        steps.or(sample.steps);
      }
      return shared.cardinality();
    }

    /** In how many steps any of them has spans. */
    static int allSteps(List<Sample> samples) {
      return steps(samples).cardinality();
    }

    TracedProcess process() {
      return process;
    }

    /** Its mean in each step, the shortest first. */
    long[] nanos() {
      return nanos;
    }

    /** Its mean by its peers' median in each step, in billionths, the smallest first. */
    long[] ratios() {
      return ratios;
    }

    long medianNanos() {
      return LowerMedian.ofSorted(nanos);
    }

    long medianRatio() {
      return LowerMedian.ofSorted(ratios);
    }

    /** How many spans it has in a step. */
    long medianSpans() {
      return LowerMedian.ofSorted(spans);
    }
  }

  private final List<Sample> all;

  WorkerSamples(RunTotals run, String name) {
    Map<Integer, List<long[]>> byProcess = new TreeMap<>();
    int number = 0;
    for (WorkerMeans.OfStep step : run.unitMeans().workers().of(run.spans().findName(name))) {
      add(step, number++, byProcess);
    }
    List<TracedProcess> processes = run.spans().processes();
    this.all =
        byProcess.entrySet().stream()
            .map(one -> Sample.of(processes.get(one.getKey()), one.getValue()))
            .toList();
  }

  private static void add(
      WorkerMeans.OfStep step, int number, Map<Integer, List<long[]>> byProcess) {
    long[] sorted = new long[step.size()];
    Arrays.setAll(sorted, step::meanNanos);
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      long nanos = step.meanNanos(i);
      long peers = LowerMedian.without(nanos, sorted);
      if (peers > 0) {
        long ratio = Math.round(nanos / (double) peers * BILLION);
        byProcess
            .computeIfAbsent(step.process(i), none -> new ArrayList<>())
            .add(new long[] {nanos, ratio, step.spans(i), number});
      }
    }
  }

  /** Those that have peers. */
  List<Sample> all() {
    return all;
  }

  /** The median of some processes' medians. */
  static long medianNanos(List<Sample> samples) {
    return LowerMedian.of(samples.stream().mapToLong(Sample::medianNanos));
  }

  /** The same of their numbers of spans in a step. */
  static long medianSpans(List<Sample> samples) {
    return LowerMedian.of(samples.stream().mapToLong(Sample::medianSpans));
  }
}
