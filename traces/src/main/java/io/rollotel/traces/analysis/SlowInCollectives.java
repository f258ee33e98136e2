package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Processes that are slow in spans below the calls of fan-outs, while their calls take no longer
 * than others, since all processes wait for them before they end.
 */
final class SlowInCollectives implements Serializable {

  /**
   * The calls of one name.
   *
   * @param waits the names of the spans below in which processes wait for each other
   * @param excess by process, then by name of the spans in which it is slow: the share of their
   *     time that it would not need if it were as fast as its peers
   */
  record Collective(Set<Integer> waits, Map<Integer, Map<Integer, Double>> excess)
      implements Serializable {}

  private final List<SlowProcesses.Slow> slow = new ArrayList<>();
  private final Map<Integer, Collective> byName = new HashMap<>();

  /**
   * Finds them.
   *
   * @param calls those that are slow in whole calls, which nobody needs to look below
   */
  SlowInCollectives(Spans spans, NestedTimes times, List<SlowProcesses.Slow> calls) {
    times
        .byName()
        .forEach(
            (call, below) -> {
              Set<Integer> waits = new TreeSet<>();
              below.forEach(
                  (name, nested) -> {
                    if (nested.isWait() && !name.equals(call)) {
                      waits.add(name);
                    }
                  });
              if (!waits.isEmpty()) {
                int longest = longest(spans, below, waits);
                below.forEach(
                    (name, nested) -> {
                      if (!waits.contains(name)) {
                        int tests = nested.byProcess().size() * (below.size() - waits.size());
                        find(call, name, nested, tests, longest, waits, calls);
                      }
                    });
              }
            });
  }

  /** The one in which processes waited longest. */
  private static int longest(
      Spans spans, Map<Integer, NestedTimes.Nested> below, Set<Integer> waits) {
    return below.entrySet().stream()
        .filter(one -> waits.contains(one.getKey()))
        .max(
            Comparator.<Map.Entry<Integer, NestedTimes.Nested>>comparingLong(
                    one -> one.getValue().waitedNanos())
                .thenComparing(one -> spans.names().text(one.getKey()), Comparator.reverseOrder()))
        .orElseThrow()
        .getKey();
  }

  private void find(
      int call,
      int name,
      NestedTimes.Nested nested,
      int tests,
      int longestWait,
      Set<Integer> waits,
      List<SlowProcesses.Slow> calls) {
    double significance = SlowProcesses.SIGNIFICANCE / tests;
    int much = nested.byProcess().values().stream().mapToInt(PeerTimes.Sum::muchSlower).sum();
    int all = nested.byProcess().values().stream().mapToInt(PeerTimes.Sum::count).sum();
    nested
        .byProcess()
        .forEach(
            (process, sum) -> {
              // One more, because the others may be too few to have shown it.
              double usual = (much - sum.muchSlower() + 1.0) / (all - sum.count() + 1.0);
              if (SlowProcesses.isSlow(sum, usual, significance, significance)
                  && calls.stream()
                      .noneMatch(one -> one.process() == process && one.name() == call)) {
                slow.add(
                    new SlowProcesses.Slow(
                        process,
                        name,
                        sum.count(),
                        sum.slow(),
                        sum.ratio(),
                        sum.excessNanos(),
                        sum.worst(),
                        SlowProcesses.ALWAYS,
                        Finding.Below.waitedForIn(longestWait, name == call)));
                byName
                    .computeIfAbsent(call, none -> new Collective(waits, new TreeMap<>()))
                    .excess
                    .computeIfAbsent(process, none -> new TreeMap<>())
                    .put(name, 1 - 1 / Math.max(1, sum.ratio()));
              }
            });
  }

  /** A process once for each name. */
  List<SlowProcesses.Slow> all() {
    return slow;
  }

  /** By the name of the calls, those in which a process is slow. */
  Map<Integer, Collective> byName() {
    return byName;
  }
}
