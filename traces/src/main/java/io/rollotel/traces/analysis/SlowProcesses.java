package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Which processes were slower than their peers time and again, and how long the work of each
 * fan-out would have taken if they had not been, or if it had been shared out evenly.
 *
 * <p>A process's time in a fan-out is the mean of what it did itself in each of its spans. Its
 * peers' median is that of the other processes, the lower of two.
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
    final int[] calls = new int[nanos.length];
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
        nanos[process] += mended(span);
        calls[process]++;
        if (spans.nanos(span) > spans.nanos(longest[process] - 1)) {
          longest[process] = span + 1;
        }
      }
    }

    /** More calls are more work, and not slower. */
    long perCall(int process) {
      return nanos[process] / calls[process];
    }

    void forget() {
      for (int i = 0; i < count; i++) {
        nanos[processes[i]] = 0;
        calls[processes[i]] = 0;
        longest[processes[i]] = 0;
      }
    }
  }

  private final Spans spans;
  private final CriticalPath path;
  private final IntPredicate isOpened;
  private final List<int[]> fanOuts;

  /** What a span did itself, where that is not its whole time. */
  private final Map<Integer, Long> ownNanos = new HashMap<>();

  private final List<Slow> slow = new ArrayList<>();
  private final BitSet slowProcesses = new BitSet();

  /** The factor for each span if slow processes were as fast as their peers; usually 1. */
  private final double[] toPeers;

  private final double[] toMean;

  private final Map<Integer, Uneven> uneven = new TreeMap<>();

  /**
   * Measures all fan-outs.
   *
   * @param isOpened whether a call was sent from below a span
   */
  SlowProcesses(Spans spans, CriticalPath path, IntPredicate isOpened, List<int[]> fanOuts) {
    this.spans = spans;
    this.path = path;
    this.isOpened = isOpened;
    this.fanOuts = fanOuts;
    this.toPeers = ones(fanOuts.isEmpty() ? 0 : spans.size());
    this.toMean = ones(toPeers.length);
    Map<Integer, Map<Integer, Sum>> sums = new TreeMap<>();
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

  private void findSlow(int name, Map<Integer, Sum> byProcess) {
    int much = byProcess.values().stream().mapToInt(sum -> sum.muchSlower).sum();
    int all = byProcess.values().stream().mapToInt(sum -> sum.count).sum();
    byProcess.forEach(
        (process, sum) -> {
          int others = Math.max(1, all - sum.count);
          double usual = (double) (much - sum.muchSlower) / others;
          if (isSlow(sum, usual, byProcess.size())) {
            slow.add(slow(name, process, sum));
            slowProcesses.set(process);
          }
        });
  }

  private void measure(int[] fanOut, Work work, Map<Integer, Map<Integer, Sum>> sums) {
    work.of(fanOut);
    long[] sorted = new long[work.count];
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = work.perCall(work.processes[i]);
    }
    Arrays.sort(sorted);
    Map<Integer, Sum> ofName = sums.computeIfAbsent(spans.name(fanOut[0]), name -> new HashMap<>());
    for (int i = 0; i < sorted.length; i++) {
      int process = work.processes[i];
      long nanos = work.perCall(process);
      long median = medianWithout(sorted, nanos);
      double ratio = nanos == 0 ? 1 : median == 0 ? Double.MAX_VALUE : (double) nanos / median;
      ofName
          .computeIfAbsent(process, none -> new Sum())
          .add(
              ratio,
              spans.weight(fanOut[0]),
              (nanos - median) * work.calls[process],
              work.longest[process] - 1);
    }
    work.forget();
  }

  /** The median of all but one of some values, the lower of two. */
  private static long medianWithout(long[] sorted, long value) {
    int without = Arrays.binarySearch(sorted, value);
    int middle = (sorted.length - 2) / 2;
    return sorted[middle < without ? middle : middle + 1];
  }

  /**
   * The sign test, corrected for the number of processes; or a large difference each time, where
   * the others seldom have one.
   *
   * @param usual how often the others have a large difference
   */
  private static boolean isSlow(Sum sum, double usual, int processes) {
    return sum.count >= FEWEST_FAN_OUTS
        && (atLeast(sum.slow, sum.count) <= SIGNIFICANCE / processes
            || (sum.muchSlower == sum.count
                && Math.pow(usual, sum.count) <= SIGNIFICANCE / processes));
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
    int last = work.processes[0];
    for (int i = 0; i < work.count; i++) {
      int process = work.processes[i];
      all += work.nanos[process];
      last = work.nanos[process] > work.nanos[last] ? process : last;
    }
    double mean = all / work.count;
    for (int span : fanOut) {
      long own = work.nanos[spans.process(span)];
      toMean[span] = own == 0 ? 1 : toPeers[span] * mean / own;
    }
    uneven
        .computeIfAbsent(spans.name(fanOut[0]), Uneven::new)
        .add(Math.round(work.nanos[last] - mean), work.longest[last] - 1);
    work.forget();
  }

  /** By how much the last workers exceeded the mean in the fan-outs of one name. */
  static final class Uneven {
    final int name;
    long nanos;
    long fanOuts;
    int worst = -1;
    private long worstNanos = -1;

    Uneven(int name) {
      this.name = name;
    }

    private void add(long overNanos, int last) {
      nanos += overNanos;
      fanOuts++;
      worst = overNanos > worstNanos ? last : worst;
      worstNanos = Math.max(worstNanos, overNanos);
    }
  }

  /** The name whose work is shared out least evenly, when slow workers are as fast as others. */
  Uneven mostUneven() {
    return uneven.values().stream().max(Comparator.comparingLong(one -> one.nanos)).orElseThrow();
  }

  /**
   * What a process did itself in a span. Where calls were sent from below it, that is its part of
   * the span's critical path: the rest is its waiting for others.
   */
  private long own(int span) {
    if (!isOpened.test(span)) {
      return spans.nanos(span);
    }
    return ownNanos.computeIfAbsent(
        span,
        none -> {
          long[] sum = new long[1];
          path.follow(
              span,
              (at, isQueueWait, from, to) -> {
                if (!isQueueWait && spans.process(at) == spans.process(span)) {
                  sum[0] += to - from;
                }
              });
          return sum[0];
        });
  }

  /** The same where slow processes are as fast as their peers. */
  private long mended(int span) {
    return toPeers[span] == 1 ? own(span) : Math.round(own(span) * toPeers[span]);
  }

  /** The one that exceeded its peers most first; a process once for each name. */
  List<Slow> all() {
    return slow;
  }

  /** Some of the processes as fast as their peers. */
  StepReplay.Change asFastAsPeers(BitSet processes) {
    return (span, took) ->
        span < toPeers.length && toPeers[span] != 1 && processes.get(spans.process(span))
            ? changed(span, took, toPeers[span])
            : took;
  }

  /** All slow ones as fast as their peers, and the work shared out evenly. */
  StepReplay.Change evenly() {
    return (span, took) ->
        span < toMean.length && toMean[span] != 1 ? changed(span, took, toMean[span]) : took;
  }

  /** What a span takes if its process's own work is so many times as much. */
  private long changed(int span, long took, double times) {
    long own = Math.min(took, own(span));
    return took - own + Math.round(own * times);
  }

  /** The processes that are slow. */
  BitSet processes() {
    return slowProcesses;
  }
}
