package io.rollotel.traces.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * The hosts of a run. Two are joined if calls between them show how far their clocks differ.
 *
 * <p>The walk starts from a host whose clock is taken as right, and visits each host along the
 * narrowest bounds first. If the bounds allow equal clocks, the clocks are taken as equal;
 * otherwise the next host's clock is corrected by the estimate. Pairs whose bounds contradict each
 * other are not followed.
 */
final class HostGraph {

  private static final Comparator<ClockSkew.Hosts> NARROWEST =
      Comparator.comparingLong(ClockSkew.Hosts::widthNanos)
          .thenComparing(ClockSkew.Hosts::isSkewed, Comparator.reverseOrder())
          .thenComparing(ClockSkew.Hosts::first)
          .thenComparing(ClockSkew.Hosts::second);

  private final Map<String, List<ClockSkew.Hosts>> usable = new HashMap<>();

  /** The visited hosts. */
  private final Map<String, Clocks.Shift> reached = new TreeMap<>();

  /**
   * A run's.
   *
   * @param isCorrected whether hosts may be joined whose clocks differ
   */
  HostGraph(List<ClockSkew.Hosts> pairs, boolean isCorrected) {
    for (ClockSkew.Hosts hosts : pairs) {
      if (hosts.isSkewed() ? isCorrected && hosts.isCorrectable() : !hosts.isContradictory()) {
        usable.computeIfAbsent(hosts.first(), host -> new ArrayList<>()).add(hosts);
        usable.computeIfAbsent(hosts.second(), host -> new ArrayList<>()).add(hosts);
      }
    }
  }

  /** Visits hosts that have not been visited yet. */
  void walkFrom(String reference) {
    if (reached.containsKey(reference)) {
      return;
    }
    reached.put(reference, new Clocks.Shift(reference, reference, 0, 0, false));
    PriorityQueue<ClockSkew.Hosts> next = new PriorityQueue<>(NARROWEST);
    next.addAll(usable.getOrDefault(reference, List.of()));
    while (!next.isEmpty()) {
      ClockSkew.Hosts hosts = next.remove();
      boolean isOutwards = reached.containsKey(hosts.first());
      String to = isOutwards ? hosts.second() : hosts.first();
      Clocks.Shift from = reached.get(isOutwards ? hosts.first() : hosts.second());
      if (from != null && !reached.containsKey(to)) {
        reached.put(to, step(from, to, hosts, isOutwards));
        next.addAll(usable.getOrDefault(to, List.of()));
      }
    }
  }

  private static Clocks.Shift step(
      Clocks.Shift from, String to, ClockSkew.Hosts hosts, boolean isOutwards) {
    boolean isSkewed = hosts.isSkewed();
    long nanos = isSkewed ? hosts.estimateNanos() : 0;
    return new Clocks.Shift(
        to,
        from.reference(),
        from.nanos() + (isOutwards ? nanos : -nanos),
        from.uncertaintyNanos() + (isSkewed ? hosts.uncertaintyNanos() : room(hosts)),
        from.isAtLeast() || !hosts.isBounded());
  }

  /** How far clocks that are taken as equal can differ. */
  private static long room(ClockSkew.Hosts hosts) {
    return Math.max(
        hosts.hasLow() ? Math.abs(hosts.lowNanos()) : 0,
        hosts.hasHigh() ? Math.abs(hosts.highNanos()) : 0);
  }

  /** The correction subtracted from each host's times, by name. */
  Map<String, Clocks.Shift> shifts() {
    return reached;
  }
}
