package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which processes were slower than their peers time and again, and how long the work of each
 * fan-out would have taken if they had not been, or if it had been shared out evenly.
 *
 * <p>A process's work in a fan-out is the sum of its spans' times; its peers' median is that of the
 * other processes, the lower of two.
 */
final class SlowProcesses {

  /** Less than this times the median of its peers is not slow. */
  private static final double SLOW = 1.1;

  /** So much slower in each fan-out is convincing where there are few. */
  private static final double MUCH_SLOWER = 1.25;

  private static final int FEWEST_FAN_OUTS = 3;

  private static final double SIGNIFICANCE = 0.05;

  /**
   * A process in the fan-outs of one name.
   *
   * @param fanOuts in which it took part
   * @param slow in how many of these it was slower
   * @param ratio its work by its peers' median: the median of all fan-outs, the lower of two
   * @param excessNanos by how much its work exceeds its peers' medians in all
   * @param worst its span in the fan-out where it exceeded most
   */
  record Slow(
      int process, int name, int fanOuts, int slow, double ratio, long excessNanos, int worst) {}

  private static final class Sum {
    final List<Double> ratios = new ArrayList<>();
    int slow;
    int muchSlower;
    long excessNanos;
    long worstNanos = -1;
    int worst = -1;

    void add(double ratio, double weight, long overNanos, int longest) {
      ratios.add(ratio);
      slow += ratio >= SLOW ? 1 : 0;
      muchSlower += ratio >= MUCH_SLOWER ? 1 : 0;
      excessNanos += Math.max(0, NameTotals.times(weight, overNanos));
      if (overNanos > worstNanos) {
        worstNanos = overNanos;
        worst = longest;
      }
    }
  }

  /** Of a process in one fan-out. */
  private static final class Work {
    long nanos;
    int longest;

    Work(int first) {
      longest = first;
    }
  }

  private final Spans spans;
  private final List<int[]> fanOuts;
  private final List<Slow> slow = new ArrayList<>();
  private final BitSet slowProcesses = new BitSet();

  /** For each span of a fan-out its time by that which it would take. */
  private final double[] toPeers;

  private final double[] toMean;

  SlowProcesses(Spans spans, List<int[]> fanOuts) {
    this.spans = spans;
    this.fanOuts = fanOuts;
    this.toPeers = new double[fanOuts.isEmpty() ? 0 : spans.size()];
    this.toMean = new double[toPeers.length];
    Arrays.fill(toPeers, 1);
    Arrays.fill(toMean, 1);
    Map<Long, Sum> sums = new HashMap<>();
    Map<Integer, Integer> processesOfName = new HashMap<>();
    for (int[] fanOut : fanOuts) {
      measure(fanOut, sums);
    }
    sums.keySet().forEach(key -> processesOfName.merge(name(key), 1, Integer::sum));
    sums.forEach(
        (key, sum) -> {
          if (isSlow(sum, processesOfName.getOrDefault(name(key), 1))) {
            slow.add(slow(key, sum));
            slowProcesses.set(key.intValue());
          }
        });
    slow.sort(
        (a, b) ->
            a.excessNanos != b.excessNanos
                ? Long.compare(b.excessNanos, a.excessNanos)
                : a.name != b.name
                    ? Integer.compare(a.name, b.name)
                    : Integer.compare(a.process, b.process));
    speedUp();
    for (int[] fanOut : fanOuts) {
      even(fanOut);
    }
  }

  private static int name(long key) {
    return (int) (key >> Integer.SIZE);
  }

  private static long key(int name, int process) {
    return (long) name << Integer.SIZE | process;
  }

  private void measure(int[] fanOut, Map<Long, Sum> sums) {
    Map<Integer, Work> byProcess = new HashMap<>();
    for (int span : fanOut) {
      Work work = byProcess.computeIfAbsent(spans.process(span), process -> new Work(span));
      work.nanos += spans.nanos(span);
      work.longest = spans.nanos(span) > spans.nanos(work.longest) ? span : work.longest;
    }
    long[] sorted = byProcess.values().stream().mapToLong(work -> work.nanos).sorted().toArray();
    byProcess.forEach(
        (process, work) -> {
          long median = medianWithout(sorted, work.nanos);
          double ratio =
              work.nanos == 0 ? 1 : median == 0 ? Double.MAX_VALUE : (double) work.nanos / median;
          sums.computeIfAbsent(key(spans.name(fanOut[0]), process), none -> new Sum())
              .add(ratio, spans.weight(fanOut[0]), work.nanos - median, work.longest);
        });
  }

  /** The median of all but one of some values, the lower of two. */
  private static long medianWithout(long[] sorted, long value) {
    int without = Arrays.binarySearch(sorted, value);
    int middle = (sorted.length - 2) / 2;
    return sorted[middle < without ? middle : middle + 1];
  }

  /** The sign test, corrected for the number of processes; or a large difference each time. */
  private static boolean isSlow(Sum sum, int processes) {
    int fanOuts = sum.ratios.size();
    return fanOuts >= FEWEST_FAN_OUTS
        && (sum.muchSlower == fanOuts
            || atLeast(sum.slow, fanOuts) <= SIGNIFICANCE / Math.max(1, processes));
  }

  /** How likely so many heads or more are in that many throws of a coin. */
  static double atLeast(int heads, int throwsOfCoin) {
    double logOfOne = throwsOfCoin * Math.log(0.5);
    double sum = 0;
    for (int k = 0; k <= throwsOfCoin; k++) {
      sum += k >= heads ? Math.exp(logOfOne) : 0;
      logOfOne += Math.log((double) (throwsOfCoin - k) / (k + 1));
    }
    return Math.min(1, sum);
  }

  private static Slow slow(long key, Sum sum) {
    Collections.sort(sum.ratios);
    int count = sum.ratios.size();
    return new Slow(
        (int) key,
        name(key),
        count,
        sum.slow,
        sum.ratios.get((count - 1) / 2),
        sum.excessNanos,
        sum.worst);
  }

  /**
   * By its usual ratio, and not by that of each fan-out: so its times vary as much as the others',
   * and of several workers that vary the last one is later than the middle one.
   */
  private void speedUp() {
    Map<Long, Double> known = new HashMap<>();
    slow.forEach(one -> known.put(key(one.name, one.process), 1 / Math.max(1, one.ratio)));
    for (int[] fanOut : fanOuts) {
      for (int span : fanOut) {
        toPeers[span] = known.getOrDefault(key(spans.name(span), spans.process(span)), 1.0);
      }
    }
  }

  private void even(int[] fanOut) {
    double all = 0;
    Map<Integer, Double> byProcess = new HashMap<>();
    for (int span : fanOut) {
      double nanos = spans.nanos(span) * toPeers[span];
      all += nanos;
      byProcess.merge(spans.process(span), nanos, Double::sum);
    }
    double mean = all / byProcess.size();
    for (int span : fanOut) {
      double own = byProcess.getOrDefault(spans.process(span), 0.0);
      toMean[span] = own == 0 ? 1 : toPeers[span] * mean / own;
    }
  }

  /** The one that exceeded its peers most first; a process once for each name. */
  List<Slow> all() {
    return slow;
  }

  /** Some of the processes as fast as their peers. */
  StepGraph.Change asFastAsPeers(BitSet processes) {
    return (span, took) ->
        span < toPeers.length && toPeers[span] != 1 && processes.get(spans.process(span))
            ? Math.round(took * toPeers[span])
            : took;
  }

  /** All slow ones as fast as their peers, and the work shared out evenly. */
  StepGraph.Change evenly() {
    return (span, took) ->
        span < toMean.length && toMean[span] != 1 ? Math.round(took * toMean[span]) : took;
  }

  /** The processes that are slow. */
  BitSet processes() {
    return slowProcesses;
  }
}
