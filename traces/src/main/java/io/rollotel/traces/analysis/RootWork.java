package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How long each process works on the traces that it begins, by the name of their root. Nobody sent
 * these calls, so there is no fan-out that compares the processes.
 *
 * <p>The peers of a process are the others of its service that begin traces of the same name.
 */
final class RootWork implements Serializable {

  /**
   * The traces of one name that one process began. Each counts once, for itself, even if it
   * represents others that were not sampled: these prove nothing.
   */
  static final class Sum implements Serializable {
    private final NameTotals nanos = new NameTotals("");
    private long weightedNanos;
    private final Longest longest;

    private Sum(Spans spans) {
      this.longest = new Longest(spans);
    }

    /** The nearest-rank percentile of its work in a trace. */
    long percentile(int percent) {
      return nanos.percentile(percent);
    }

    int count() {
      return (int) Math.min(Integer.MAX_VALUE, nanos.count());
    }

    /** In how many traces it worked at least this long. */
    int countFrom(double leastNanos) {
      return (int) Math.min(Integer.MAX_VALUE, nanos.countFrom(leastNanos));
    }

    /** All of its work, with that of the traces that these represent. */
    long weightedNanos() {
      return weightedNanos;
    }

    /** The root of the trace in which it worked longest. */
    int longest() {
      return longest.span();
    }
  }

  private final Spans spans;

  /** By name, then by process. */
  private final Map<Integer, Map<Integer, Sum>> sums = new TreeMap<>();

  /** None yet. */
  RootWork(Spans spans) {
    this.spans = spans;
  }

  /**
   * That of some traces.
   *
   * @param roots the spans that began them
   * @param isWhole whether these are all traces of the run
   */
  RootWork(Spans spans, OwnWork own, int[] roots, boolean isWhole) {
    this(spans);
    Set<Integer> shared = isWhole ? sharedNames(roots) : Set.of();
    for (int root : roots) {
      // Own work can be costly to determine, and often one driver begins all traces.
      if (isWhole && !shared.contains(spans.name(root))) {
        continue;
      }
      long nanos = own.nanosOnce(root);
      Sum sum = sum(spans.name(root), spans.process(root));
      sum.nanos.add(1, nanos, 0, false);
      sum.weightedNanos += NameTotals.times(spans.weight(root), nanos);
      sum.longest.see(nanos, root);
    }
  }

  /** The names of traces that several processes begin. */
  private Set<Integer> sharedNames(int[] roots) {
    Map<Integer, Integer> first = new HashMap<>();
    Set<Integer> shared = new HashSet<>();
    for (int root : roots) {
      Integer process = first.putIfAbsent(spans.name(root), spans.process(root));
      if (process != null && process != spans.process(root)) {
        shared.add(spans.name(root));
      }
    }
    return shared;
  }

  private Sum sum(int name, int process) {
    return sums.computeIfAbsent(name, none -> new HashMap<>())
        .computeIfAbsent(process, none -> new Sum(spans));
  }

  /** Adds that of other traces of the run. */
  void add(RootWork part, RowCopies copies, int mostExact) {
    part.sums.forEach(
        (name, byProcess) ->
            byProcess.forEach(
                (process, other) -> {
                  Sum sum = sum(name, process);
                  sum.nanos.add(other.nanos, mostExact);
                  sum.weightedNanos += other.weightedNanos;
                  sum.longest.add(other.longest, copies);
                }));
  }

  /** Receives peers. */
  interface Sink {
    /**
     * The processes of one service that begin traces of one name, two or more.
     *
     * @param sums by process
     */
    void peers(int name, Map<Integer, Sum> sums);
  }

  /** Passes on all peers, by name. */
  void each(Sink sink) {
    sums.forEach(
        (name, byProcess) -> {
          Map<String, Map<Integer, Sum>> byService = new TreeMap<>();
          byProcess.forEach(
              (process, sum) ->
                  byService
                      .computeIfAbsent(
                          spans.processes().get(process).serviceName(), none -> new TreeMap<>())
                      .put(process, sum));
          byService.values().stream()
              .filter(peers -> peers.size() > 1)
              .forEach(peers -> sink.peers(name, peers));
        });
  }

  /** A percentile of each process, sorted. */
  static long[] percentiles(Map<Integer, Sum> peers, int percent) {
    long[] all = peers.values().stream().mapToLong(sum -> sum.percentile(percent)).toArray();
    Arrays.sort(all);
    return all;
  }
}
