package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which processes were repeatedly slower than their peers, in fan-outs or in traces they began. */
final class SlowProcesses implements Serializable {

  private static final int FEWEST_FAN_OUTS = 3;

  static final double SIGNIFICANCE = 0.05;

  /**
   * A process in the fan-outs of one name, or in the traces of one name that it began.
   *
   * @param fanOuts the number in which it took part, or which it began
   * @param slow the number in which it was slower
   * @param ratio its work divided by its peers' median: the median of all fan-outs, the lower of
   *     two; of traces, the medians of both
   * @param excessNanos how much its work exceeds its peers' medians in total
   * @param worst its span in the fan-out with the largest excess, or the root of the trace in which
   *     it worked longest
   * @param sinceNanos the start of the first of these fan-outs, if it was not slow in earlier ones;
   *     otherwise {@link #ALWAYS}
   * @param below what the spans below its calls show
   */
  record Slow(
      int process,
      int name,
      int fanOuts,
      int slow,
      double ratio,
      long excessNanos,
      int worst,
      long sinceNanos,
      Finding.Below below)
      implements Serializable {}

  /** The start of a process that was slow from the beginning. */
  static final long ALWAYS = Long.MIN_VALUE;

  private final List<Slow> slow = new ArrayList<>();
  private final BitSet processes = new BitSet();

  /**
   * By name, then by process: the share of its time that it would need if it were as fast as its
   * peers.
   */
  private final Map<Integer, Map<Integer, Double>> toPeers = new HashMap<>();

  /** The same for traces that it begins. */
  private final Map<Integer, Map<Integer, Double>> rootsToPeers = new HashMap<>();

  /** By name, then by process: since when it is slow. */
  private final Map<Integer, Map<Integer, Long>> sinceNanos = new HashMap<>();

  private final boolean mayBecome;

  private final SlowInCollectives collectives;

  /** The processes that have peers. */
  private final BitSet compared = new BitSet();

  /**
   * The slow processes.
   *
   * @param mayBecome whether a process can become slow at some step: not if there are no steps
   */
  SlowProcesses(Spans spans, PeerTimes times, boolean mayBecome) {
    this.mayBecome = mayBecome;
    times.sums().forEach((name, byProcess) -> find(name, byProcess, times.nested()));
    keep(slow, toPeers);
    collectives = new SlowInCollectives(spans, times.nested(), List.copyOf(slow));
    int inFanOuts = slow.size();
    times.roots().each(this::findRoots);
    keep(slow.subList(inFanOuts, slow.size()), rootsToPeers);
    slow.addAll(collectives.all());
    slow.forEach(one -> processes.set(one.process));
    slow.sort(
        Comparator.comparingLong(Slow::excessNanos)
            .reversed()
            .thenComparing(one -> spans.names().text(one.name))
            .thenComparing(one -> spans.processes().get(one.process), TracedProcess.ORDER));
  }

  /**
   * By its usual ratio, and not by that of each fan-out, so that its times vary as much as the
   * others'. With several varying workers, the last one ends later than the middle one.
   */
  private static void keep(List<Slow> slow, Map<Integer, Map<Integer, Double>> toPeers) {
    for (Slow one : slow) {
      toPeers
          .computeIfAbsent(one.name, name -> new HashMap<>())
          .put(one.process, 1 / Math.max(1, one.ratio));
    }
  }

  private void find(int name, Map<Integer, PeerTimes.Sum> byProcess, NestedTimes nested) {
    byProcess.keySet().forEach(compared::set);
    int much = byProcess.values().stream().mapToInt(PeerTimes.Sum::muchSlower).sum();
    int all = byProcess.values().stream().mapToInt(PeerTimes.Sum::count).sum();
    byProcess.forEach(
        (process, sum) -> {
          int others = Math.max(1, all - sum.count());
          double usual = (double) (much - sum.muchSlower()) / others;
          if (isSlow(sum, usual, SIGNIFICANCE / byProcess.size(), SIGNIFICANCE)) {
            slow.add(
                new Slow(
                    process,
                    name,
                    sum.count(),
                    sum.slow(),
                    sum.ratio(),
                    sum.excessNanos(),
                    sum.worst(),
                    ALWAYS,
                    nested.part(name, process, sum.excessNanos())));
          } else if (mayBecome && isSlowSince(sum, usual, byProcess.size())) {
            SlowSince since = sum.since();
            int count = since.count();
            slow.add(
                new Slow(
                    process,
                    name,
                    count,
                    count,
                    since.ratio(),
                    sum.excessNanos(),
                    sum.worst(),
                    since.startNanos(),
                    Finding.Below.NOTHING));
            sinceNanos
                .computeIfAbsent(name, none -> new HashMap<>())
                .put(process, since.startNanos());
          }
        });
  }

  /**
   * Whether it is slow in its latest fan-outs, by the same test, and not as often before. If all
   * fan-outs were alike, chance would put this many of the slow ones last with the probability of a
   * hypergeometric distribution. The number of the last ones is not chosen, so it needs no
   * correction.
   */
  private static boolean isSlowSince(PeerTimes.Sum sum, double usual, int processes) {
    int latest = sum.since().count();
    double significance = SIGNIFICANCE / processes;
    boolean isSlow =
        atLeast(latest, latest, sum.slowByChance()) <= significance
            || (sum.since().countFrom(PeerTimes.MUCH_SLOWER) == latest
                && Math.pow(usual, latest) <= significance
                && Math.pow(sum.muchSlowerByChance(), (double) latest / sum.count())
                    <= SIGNIFICANCE);
    return latest >= FEWEST_FAN_OUTS
        && isSlow
        && atLeast((long) latest, latest, sum.slow(), sum.count()) <= significance;
  }

  /**
   * Traces that processes began by themselves are not pairs, and their work may be of several
   * sizes. So a process is slow only if its short, its middle and its long traces all are.
   */
  private void findRoots(int name, Map<Integer, RootWork.Sum> peers) {
    long[] medians = RootWork.percentiles(peers, 50);
    long[] lower = RootWork.percentiles(peers, 25);
    long[] upper = RootWork.percentiles(peers, 75);
    peers.forEach(
        (process, sum) -> {
          compared.set(process);
          long median = LowerMedian.without(sum.percentile(50), medians);
          double ratio = PeerTimes.ratio(sum.percentile(50), median);
          double limitNanos = PeerTimes.SLOW * median;
          if (median > 0 // peers that do nothing have other work
              && ratio >= PeerTimes.MUCH_SLOWER
              && ratio(sum, 25, lower) >= PeerTimes.SLOW
              && ratio(sum, 75, upper) >= PeerTimes.SLOW
              && isNoChance(sum, limitNanos, peers)) {
            int slower = sum.countFrom(limitNanos);
            slow.add(
                new Slow(
                    process,
                    name,
                    sum.count(),
                    slower,
                    ratio,
                    sum.weightedNanos() - Math.round(sum.weightedNanos() / ratio),
                    sum.longest(),
                    ALWAYS,
                    Finding.Below.NOTHING));
          }
        });
  }

  /**
   * The sign test; and Fisher's exact test, because the peers' median is known only as well as
   * their number of traces allows.
   */
  private static boolean isNoChance(
      RootWork.Sum sum, double limitNanos, Map<Integer, RootWork.Sum> peers) {
    int slower = sum.countFrom(limitNanos);
    double significance = SIGNIFICANCE / peers.size();
    if (atLeast(slower, sum.count()) > significance) {
      return false;
    }
    long all = 0;
    long slowerOfAll = 0;
    for (RootWork.Sum one : peers.values()) {
      all += one.count();
      slowerOfAll += one.countFrom(limitNanos);
    }
    return atLeast(slower, sum.count(), slowerOfAll, all) <= significance;
  }

  private static double ratio(RootWork.Sum sum, int percent, long[] sorted) {
    long nanos = sum.percentile(percent);
    return PeerTimes.ratio(nanos, LowerMedian.without(nanos, sorted));
  }

  /**
   * The sign test, corrected for the number of tests; or a large difference each time, while the
   * others rarely have one.
   *
   * @param usual how often the others have a large difference
   * @param significance corrected for the number of tests
   * @param amongPeers the same, of its always being one of those with a large difference
   */
  static boolean isSlow(PeerTimes.Sum sum, double usual, double significance, double amongPeers) {
    return sum.count() >= FEWEST_FAN_OUTS
        && (atLeast(sum.slow(), sum.count(), sum.slowByChance()) <= significance
            || (sum.muchSlower() == sum.count()
                && Math.pow(usual, sum.count()) <= significance
                && sum.muchSlowerByChance() <= amongPeers));
  }

  /** The probability of at least this many heads in a number of coin tosses. */
  static double atLeast(int heads, int throwsOfCoin) {
    return atLeast(heads, throwsOfCoin, 0.5);
  }

  /** The same for a coin that shows heads with that probability, which is below 1. */
  static double atLeast(int heads, int throwsOfCoin, double ofHeads) {
    double logOfOne = throwsOfCoin * Math.log1p(-ofHeads);
    double logOfOdds = Math.log(ofHeads / (1 - ofHeads));
    double sum = 0;
    for (int k = 0; k <= throwsOfCoin; k++) {
      sum += k >= heads ? Math.exp(logOfOne) : 0;
      logOfOne += Math.log((double) (throwsOfCoin - k) / (k + 1)) + logOfOdds;
    }
    return Math.min(1, sum);
  }

  /**
   * The probability that chance gives a process at least so many of the slow traces: the tail of
   * the hypergeometric distribution.
   *
   * @param slower how many of its traces are slow, of so many
   * @param slowerOfAll how many of all traces are slow, of so many
   */
  static double atLeast(long slower, long count, long slowerOfAll, long all) {
    long least = Math.max(0, count + slowerOfAll - all);
    long most = Math.min(count, slowerOfAll);
    long mode = (long) ((count + 1.0) * (slowerOfAll + 1.0) / (all + 2.0));
    long usual = Math.max(least, Math.min(mode, most));
    // Relative to the most probable number, in both directions until the rest is negligible.
    double sum = 0;
    double tail = 0;
    double term = 1;
    for (long k = usual; k <= most && term > 1e-30; k++) {
      sum += term;
      tail += k >= slower ? term : 0;
      term *= (double) (slowerOfAll - k) * (count - k);
      term /= (k + 1.0) * (all - slowerOfAll - count + k + 1.0);
    }
    term = 1;
    for (long k = usual; k > least && term > 1e-30; k--) {
      term *= (double) k * (all - slowerOfAll - count + k);
      term /= (slowerOfAll - k + 1.0) * (count - k + 1.0);
      sum += term;
      tail += k - 1 >= slower ? term : 0;
    }
    return tail / sum;
  }

  /** The slowest relative to its peers first; a process once for each name. */
  List<Slow> all() {
    return slow;
  }

  /** The processes that are slow. */
  BitSet processes() {
    return processes;
  }

  /** The processes that have peers, slow or not. */
  BitSet compared() {
    return compared;
  }

  /**
   * The share of its time in a fan-out of that name that it would need if it were not slow.
   *
   * @param startNanos when the fan-out begins
   */
  double toPeers(int name, int process, long startNanos) {
    Map<Integer, Long> ofName = sinceNanos.get(name);
    return ofName != null && startNanos < ofName.getOrDefault(process, ALWAYS)
        ? 1
        : toPeers(toPeers, name, process);
  }

  /** The step since which processes are slow, if they all became so in one; otherwise none. */
  static List<Steps.Step> since(Spans spans, Steps steps, List<Slow> ofThese) {
    Set<Steps.Step> since = new HashSet<>();
    for (Slow one : ofThese) {
      Steps.Step last = null;
      for (Steps.Step step : steps.all()) {
        if (one.sinceNanos() == ALWAYS || spans.start(step.span()) > one.sinceNanos()) {
          break;
        }
        last = step;
      }
      if (last == null) {
        return List.of();
      }
      since.add(last);
    }
    return since.size() == 1 ? List.copyOf(since) : List.of();
  }

  /** By the name of the calls, those below which a process is slow and its peers wait for it. */
  Map<Integer, SlowInCollectives.Collective> collectives() {
    return collectives.byName();
  }

  /** Whether any process is slow in traces that it begins. */
  boolean hasRoots() {
    return !rootsToPeers.isEmpty();
  }

  /** The same for traces of that name that it begins. */
  double rootToPeers(int name, int process) {
    return toPeers(rootsToPeers, name, process);
  }

  private static double toPeers(Map<Integer, Map<Integer, Double>> shares, int name, int process) {
    Map<Integer, Double> ofName = shares.get(name);
    return ofName == null ? 1 : ofName.getOrDefault(process, 1.0);
  }
}
