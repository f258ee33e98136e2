package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much longer than its peers each process took in fan-outs, by their name, and how long each
 * worked on the traces that it began.
 *
 * <p>A process's time in a fan-out is the mean self time of its spans there. Its peers' median is
 * that of the other processes, the lower of two.
 */
final class PeerTimes implements Serializable {

  /** Less than this times the median of its peers is not slow. */
  static final double SLOW = 1.1;

  /** With few fan-outs, being this much slower in each is convincing. */
  static final double MUCH_SLOWER = 1.25;

  private static final double BILLION = 1e9;

  /** The processes of a fan-out, if chance alone decides which of them is slow. */
  record Peers(int count, int muchSlower) {
    static Peers of(long[] sorted) {
      int much = 0;
      for (int i = sorted.length - 1; i >= 0; i--) {
        if (ratio(sorted[i], LowerMedian.without(sorted[i], sorted)) < MUCH_SLOWER) {
          break; // shorter ones are not slower either
        }
        much++;
      }
      return new Peers(sorted.length, much);
    }

    /** More than half if the median is the lower of two: two of three are above the first. */
    double slowByChance() {
      return (count / 2 + count % 2) / (double) count;
    }

    double muchSlowerByChance() {
      return Math.log((double) Math.max(1, muchSlower) / count);
    }
  }

  /** A process in the fan-outs of one name. */
  static final class Sum implements Serializable {
    /** Billionths of the peers' medians. */
    private final NameTotals ratios = new NameTotals("");

    private int count;
    private int slow;
    private int muchSlower;

    /** In how many fan-outs chance alone makes it slower than the lower of two medians. */
    private double slowByChance;

    /** The logarithm of the probability that it is much slower in each by chance. */
    private double muchSlowerByChance;

    private long excessNanos;
    private final Longest worst;
    private final SlowSince since = new SlowSince();

    Sum(Spans spans) {
      this.worst = new Longest(spans);
    }

    /**
     * Adds a fan-out.
     *
     * @param startNanos when it begins
     * @param peers the number of processes in it, and how many of them are much slower than others
     */
    void add(
        double ratio, double weight, long overNanos, int longest, long startNanos, Peers peers) {
      slowByChance += peers.slowByChance();
      muchSlowerByChance += peers.muchSlowerByChance();
      ratios.add(1, Math.round(ratio * BILLION), 0, false);
      count++;
      slow += ratio >= SLOW ? 1 : 0;
      muchSlower += ratio >= MUCH_SLOWER ? 1 : 0;
      excessNanos += Math.max(0, NameTotals.times(weight, overNanos));
      if (overNanos >= 0) {
        worst.see(overNanos, longest);
      }
      if (ratio >= SLOW) {
        since.addSlow(startNanos, ratio);
      } else {
        since.addOther(startNanos);
      }
    }

    void add(Sum part, RowCopies copies, int mostExact) {
      ratios.add(part.ratios, mostExact);
      count += part.count;
      slow += part.slow;
      muchSlower += part.muchSlower;
      slowByChance += part.slowByChance;
      muchSlowerByChance += part.muchSlowerByChance;
      excessNanos += part.excessNanos;
      worst.add(part.worst, copies);
      since.add(part.since);
    }

    /** The number of fan-outs in which it took part. */
    int count() {
      return count;
    }

    /** The number in which it was slower than its peers. */
    int slow() {
      return slow;
    }

    int muchSlower() {
      return muchSlower;
    }

    /** How often chance alone makes a process slower than its peers' median, 0 to 1. */
    double slowByChance() {
      return slowByChance / count;
    }

    /** How often chance alone makes a process one of those that are much slower in each fan-out. */
    double muchSlowerByChance() {
      return Math.exp(muchSlowerByChance);
    }

    /** How much its work exceeds its peers' medians in total. */
    long excessNanos() {
      return excessNanos;
    }

    /** Its longest span in the fan-out with the largest excess. */
    int worst() {
      return worst.span();
    }

    /** Those of the latest ones in which it was always slower. */
    SlowSince since() {
      return since;
    }

    /** Its work by its peers' median: the median of all fan-outs, the lower of two. */
    double ratio() {
      return ratios.percentile(50) / BILLION;
    }
  }

  private final Spans spans;

  /** By name, then by process. */
  private final Map<Integer, Map<Integer, Sum>> sums = new TreeMap<>();

  private final NestedTimes nested;

  private final RootWork roots;

  /** None yet. */
  PeerTimes(Spans spans) {
    this(spans, new NestedTimes(spans), new RootWork(spans));
  }

  private PeerTimes(Spans spans, NestedTimes nested, RootWork roots) {
    this.spans = spans;
    this.nested = nested;
    this.roots = roots;
  }

  /** Measures fan-outs. */
  PeerTimes(Spans spans, OwnWork own, List<int[]> fanOuts, NestedTimes nested, RootWork roots) {
    this(spans, nested, roots);
    FanOutWork work = new FanOutWork(spans, own::nanos);
    for (int[] fanOut : fanOuts) {
      work.of(fanOut);
      long startNanos = startNanos(spans, fanOut);
      long[] sorted = new long[work.count()];
      Arrays.setAll(sorted, i -> work.perCall(work.process(i)));
      Arrays.sort(sorted);
      Peers peers = Peers.of(sorted);
      Map<Integer, Sum> ofName =
          sums.computeIfAbsent(spans.name(fanOut[0]), name -> new HashMap<>());
      for (int i = 0; i < sorted.length; i++) {
        int process = work.process(i);
        long nanos = work.perCall(process);
        long median = LowerMedian.without(nanos, sorted);
        ofName
            .computeIfAbsent(process, none -> new Sum(spans))
            .add(
                ratio(nanos, median),
                spans.weight(fanOut[0]),
                (nanos - median) * work.calls(process),
                work.longest(process),
                startNanos,
                peers);
      }
    }
  }

  /** When the first call of a fan-out begins. */
  static long startNanos(Spans spans, int[] fanOut) {
    long start = Long.MAX_VALUE;
    for (int span : fanOut) {
      start = Math.min(start, spans.start(span));
    }
    return start;
  }

  /** Adds those of a part of the run's traces. */
  void add(PeerTimes part, RowCopies copies, int mostExact) {
    nested.add(part.nested, copies, mostExact);
    roots.add(part.roots, copies, mostExact);
    part.sums.forEach(
        (name, byProcess) -> {
          Map<Integer, Sum> ofName = sums.computeIfAbsent(name, none -> new HashMap<>());
          byProcess.forEach(
              (process, sum) ->
                  ofName
                      .computeIfAbsent(process, none -> new Sum(spans))
                      .add(sum, copies, mostExact));
        });
  }

  /** Of a process's work to its peers'; nothing compared with nothing is no difference. */
  static double ratio(long nanos, long peers) {
    return nanos == 0 ? 1 : peers == 0 ? Double.MAX_VALUE : (double) nanos / peers;
  }

  /** By name, then by process. */
  Map<Integer, Map<Integer, Sum>> sums() {
    return sums;
  }

  /** The same for the spans below the calls of fan-outs. */
  NestedTimes nested() {
    return nested;
  }

  /** The work of each process in the traces that it began. */
  RootWork roots() {
    return roots;
  }
}
