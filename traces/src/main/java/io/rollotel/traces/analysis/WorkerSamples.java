package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

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

    private Sample(TracedProcess process, List<long[]> steps) {
      this.process = process;
      this.nanos = steps.stream().mapToLong(step -> step[0]).sorted().toArray();
      this.ratios = steps.stream().mapToLong(step -> step[1]).sorted().toArray();
      this.spans = steps.stream().mapToLong(step -> step[2]).sorted().toArray();
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
      return NameTotals.percentile(nanos, 50);
    }

    long medianRatio() {
      return NameTotals.percentile(ratios, 50);
    }

    /** How many spans it has in a step. */
    long medianSpans() {
      return NameTotals.percentile(spans, 50);
    }
  }

  private final List<Sample> all;

  WorkerSamples(RunTotals run, String name) {
    Map<Integer, List<long[]>> byProcess = new TreeMap<>();
    for (WorkerMeans.OfStep step : run.unitMeans().workers().of(run.spans().findName(name))) {
      add(step, byProcess);
    }
    List<TracedProcess> processes = run.spans().processes();
    this.all =
        byProcess.entrySet().stream()
            .map(one -> new Sample(processes.get(one.getKey()), one.getValue()))
            .toList();
  }

  private static void add(WorkerMeans.OfStep step, Map<Integer, List<long[]>> byProcess) {
    long[] sorted = new long[step.size()];
    Arrays.setAll(sorted, step::meanNanos);
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      long nanos = step.meanNanos(i);
      long peers = PeerTimes.medianWithout(sorted, nanos);
      if (peers > 0) {
        long ratio = Math.round(nanos / (double) peers * BILLION);
        byProcess
            .computeIfAbsent(step.process(i), none -> new ArrayList<>())
            .add(new long[] {nanos, ratio, step.spans(i)});
      }
    }
  }

  /** Those that have peers. */
  List<Sample> all() {
    return all;
  }

  /** The median of some processes' medians, the lower of two. */
  static long medianNanos(List<Sample> samples) {
    return median(samples, Sample::medianNanos);
  }

  /** The same of their numbers of spans in a step. */
  static long medianSpans(List<Sample> samples) {
    return median(samples, Sample::medianSpans);
  }

  private static long median(List<Sample> samples, ToLongFunction<Sample> value) {
    long[] sorted = samples.stream().mapToLong(value).sorted().toArray();
    return NameTotals.percentile(sorted, 50);
  }
}
