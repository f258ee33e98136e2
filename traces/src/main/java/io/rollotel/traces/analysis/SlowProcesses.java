package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which processes were repeatedly slower than their peers. */
final class SlowProcesses implements Serializable {

  private static final int FEWEST_FAN_OUTS = 3;

  private static final double SIGNIFICANCE = 0.05;

  /**
   * A process in the fan-outs of one name.
   *
   * @param fanOuts the number in which it took part
   * @param slow the number in which it was slower
   * @param ratio its work divided by its peers' median: the median of all fan-outs, the lower of
   *     two
   * @param excessNanos how much its work exceeds its peers' medians in total
   * @param worst its span in the fan-out with the largest excess
   */
  record Slow(
      int process, int name, int fanOuts, int slow, double ratio, long excessNanos, int worst)
      implements Serializable {}

  private final List<Slow> slow = new ArrayList<>();
  private final BitSet processes = new BitSet();

  /**
   * By name, then by process: the share of its time that it would need if it were as fast as its
   * peers.
   */
  private final Map<Integer, Map<Integer, Double>> toPeers = new HashMap<>();

  SlowProcesses(Spans spans, PeerTimes times) {
    times.sums().forEach(this::find);
    slow.sort(
        Comparator.comparingLong(Slow::excessNanos)
            .reversed()
            .thenComparing(one -> spans.names().text(one.name))
            .thenComparing(one -> spans.processes().get(one.process), TracedProcess.ORDER));
    // By its usual ratio, and not by that of each fan-out, so that its times vary as much as the
    // others'. With several varying workers, the last one ends later than the middle one.
    for (Slow one : slow) {
      toPeers
          .computeIfAbsent(one.name, name -> new HashMap<>())
          .put(one.process, 1 / Math.max(1, one.ratio));
    }
  }

  private void find(int name, Map<Integer, PeerTimes.Sum> byProcess) {
    int much = byProcess.values().stream().mapToInt(PeerTimes.Sum::muchSlower).sum();
    int all = byProcess.values().stream().mapToInt(PeerTimes.Sum::count).sum();
    byProcess.forEach(
        (process, sum) -> {
          int others = Math.max(1, all - sum.count());
          double usual = (double) (much - sum.muchSlower()) / others;
          if (isSlow(sum, usual, byProcess.size())) {
            slow.add(
                new Slow(
                    process,
                    name,
                    sum.count(),
                    sum.slow(),
                    sum.ratio(),
                    sum.excessNanos(),
                    sum.worst()));
            processes.set(process);
          }
        });
  }

  /**
   * The sign test, corrected for the number of processes; or a large difference each time, while
   * the others rarely have one.
   *
   * @param usual how often the others have a large difference
   */
  private static boolean isSlow(PeerTimes.Sum sum, double usual, int processes) {
    return sum.count() >= FEWEST_FAN_OUTS
        && (atLeast(sum.slow(), sum.count()) <= SIGNIFICANCE / processes
            || (sum.muchSlower() == sum.count()
                && Math.pow(usual, sum.count()) <= SIGNIFICANCE / processes));
  }

  /** The probability of at least this many heads in a number of coin tosses. */
  static double atLeast(int heads, int throwsOfCoin) {
    double logOfOne = throwsOfCoin * Math.log(0.5);
    double sum = 0;
    for (int k = 0; k <= throwsOfCoin; k++) {
      sum += k >= heads ? Math.exp(logOfOne) : 0;
      logOfOne += Math.log((double) (throwsOfCoin - k) / (k + 1));
    }
    return Math.min(1, sum);
  }

  /** The slowest relative to its peers first; a process once for each name. */
  List<Slow> all() {
    return slow;
  }

  /** The processes that are slow. */
  BitSet processes() {
    return processes;
  }

  /** The share of its time in fan-outs of that name that it would need if it were not slow. */
  double toPeers(int name, int process) {
    Map<Integer, Double> ofName = toPeers.get(name);
    return ofName == null ? 1 : ofName.getOrDefault(process, 1.0);
  }
}
