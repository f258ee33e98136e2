package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    double[] ratios = new double[8];
    int count;
    int slow;
    int muchSlower;
    long excessNanos;
    long worstNanos = -1;
    int worst = -1;

    void add(double ratio, double weight, long overNanos, int longest) {
      ratios = count == ratios.length ? Arrays.copyOf(ratios, 2 * count) : ratios;
      ratios[count++] = ratio;
      slow += ratio >= SLOW ? 1 : 0;
      muchSlower += ratio >= MUCH_SLOWER ? 1 : 0;
      excessNanos += Math.max(0, NameTotals.times(weight, overNanos));
      if (overNanos > worstNanos) {
        worstNanos = overNanos;
        worst = longest;
      }
    }
  }

  /** The work of each process in one fan-out; the same arrays for all of them. */
  private final class Work {
    final long[] nanos = new long[spans.processes().size()];
    final int[] longest = new int[nanos.length];
    final int[] processes = new int[nanos.length];
    int count;

    void of(int[] fanOut) {
      count = 0;
      for (int span : fanOut) {
        int process = spans.process(span);
        if (longest[process] == 0) {
          longest[process] = span + 1;
          processes[count++] = process;
        }
        nanos[process] += nanos(span);
        if (spans.nanos(span) > spans.nanos(longest[process] - 1)) {
          longest[process] = span + 1;
        }
      }
    }

    void forget() {
      for (int i = 0; i < count; i++) {
        nanos[processes[i]] = 0;
        longest[processes[i]] = 0;
      }
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
    this.toPeers = ones(fanOuts.isEmpty() ? 0 : spans.size());
    this.toMean = ones(toPeers.length);
    Map<Integer, Sum[]> sums = new HashMap<>();
    Work work = new Work();
    for (int[] fanOut : fanOuts) {
      measure(fanOut, work, sums);
    }
    sums.forEach(this::findSlow);
    slow.sort(
        (a, b) ->
            a.excessNanos != b.excessNanos
                ? Long.compare(b.excessNanos, a.excessNanos)
                : a.name != b.name
                    ? Integer.compare(a.name, b.name)
                    : Integer.compare(a.process, b.process));
    speedUp();
    for (int[] fanOut : fanOuts) {
      even(fanOut, work);
    }
  }

  private void findSlow(int name, @Nullable Sum[] byProcess) {
    int processes = (int) Arrays.stream(byProcess).filter(sum -> sum != null).count();
    for (int process = 0; process < byProcess.length; process++) {
      Sum sum = byProcess[process];
      if (sum != null && isSlow(sum, processes)) {
        slow.add(slow(name, process, sum));
        slowProcesses.set(process);
      }
    }
  }

  private void measure(int[] fanOut, Work work, Map<Integer, Sum[]> sums) {
    work.of(fanOut);
    long[] sorted = new long[work.count];
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = work.nanos[work.processes[i]];
    }
    Arrays.sort(sorted);
    Sum[] ofName =
        sums.computeIfAbsent(spans.name(fanOut[0]), name -> new Sum[spans.processes().size()]);
    for (int i = 0; i < sorted.length; i++) {
      int process = work.processes[i];
      long nanos = work.nanos[process];
      long median = medianWithout(sorted, nanos);
      double ratio = nanos == 0 ? 1 : median == 0 ? Double.MAX_VALUE : (double) nanos / median;
      Sum sum = ofName[process] == null ? new Sum() : ofName[process];
      ofName[process] = sum;
      sum.add(ratio, spans.weight(fanOut[0]), nanos - median, work.longest[process] - 1);
    }
    work.forget();
  }

  /** The median of all but one of some values, the lower of two. */
  private static long medianWithout(long[] sorted, long value) {
    int without = Arrays.binarySearch(sorted, value);
    int middle = (sorted.length - 2) / 2;
    return sorted[middle < without ? middle : middle + 1];
  }

  /** The sign test, corrected for the number of processes; or a large difference each time. */
  private static boolean isSlow(Sum sum, int processes) {
    return sum.count >= FEWEST_FAN_OUTS
        && (sum.muchSlower == sum.count
            || atLeast(sum.slow, sum.count) <= SIGNIFICANCE / processes);
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

  private static Slow slow(int name, int process, Sum sum) {
    Arrays.sort(sum.ratios, 0, sum.count);
    double ratio = sum.ratios[(sum.count - 1) / 2];
    return new Slow(process, name, sum.count, sum.slow, ratio, sum.excessNanos, sum.worst);
  }

  /**
   * By its usual ratio, and not by that of each fan-out: so its times vary as much as the others',
   * and of several workers that vary the last one is later than the middle one.
   */
  private void speedUp() {
    if (slow.isEmpty()) {
      return;
    }
    Map<Integer, double[]> byName = new HashMap<>();
    for (Slow one : slow) {
      byName.computeIfAbsent(one.name, name -> ones(spans.processes().size()))[one.process] =
          1 / Math.max(1, one.ratio);
    }
    for (int[] fanOut : fanOuts) {
      double[] ofName = byName.get(spans.name(fanOut[0]));
      for (int span : fanOut) {
        toPeers[span] = ofName == null ? 1 : ofName[spans.process(span)];
      }
    }
  }

  private static double[] ones(int length) {
    double[] ones = new double[length];
    Arrays.fill(ones, 1);
    return ones;
  }

  private void even(int[] fanOut, Work work) {
    work.of(fanOut);
    double all = 0;
    for (int i = 0; i < work.count; i++) {
      all += work.nanos[work.processes[i]];
    }
    double mean = all / work.count;
    for (int span : fanOut) {
      long own = work.nanos[spans.process(span)];
      toMean[span] = own == 0 ? 1 : toPeers[span] * mean / own;
    }
    work.forget();
  }

  /** What a span takes where slow processes are as fast as their peers. */
  private long nanos(int span) {
    return toPeers[span] == 1 ? spans.nanos(span) : Math.round(spans.nanos(span) * toPeers[span]);
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
