package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run's spans reveal about its hosts' clocks, and the correction.
 *
 * @param pairs hosts that called each other, with bounds of the times as they were recorded
 * @param shifts the correction subtracted from the times of each host, by name; empty if no clock
 *     is wrong
 * @param doubtful the hosts whose times do not fit those of the others, even so
 */
public record Clocks(List<ClockSkew.Hosts> pairs, Map<String, Shift> shifts, Set<String> doubtful)
    implements Serializable {

  /** Nothing is known, or there is only one host. */
  static final Clocks UNKNOWN = new Clocks(List.of(), Map.of(), Set.of());

  /**
   * The correction of one host.
   *
   * @param reference the host whose clock its times now follow
   * @param nanos how far its clock was ahead
   * @param uncertaintyNanos how far that can be off
   * @param isAtLeast whether the clock may have been further off: a bound was missing
   */
  public record Shift(
      String host, String reference, long nanos, long uncertaintyNanos, boolean isAtLeast)
      implements Serializable {}

  /**
   * After a correction.
   *
   * @param reference the host whose clock is right
   */
  static Clocks of(List<ClockSkew.Hosts> pairs, Map<String, Shift> shifts, String reference) {
    Clocks corrected = new Clocks(pairs, shifts, Set.of());
    Set<String> doubtful = new HashSet<>();
    for (ClockSkew.Hosts hosts : corrected.disagreeing()) {
      boolean isFirst = reference.equals(corrected.shift(hosts.first()).reference);
      boolean isSecond = reference.equals(corrected.shift(hosts.second()).reference);
      if (!isFirst || isSecond) {
        doubtful.add(hosts.first());
      }
      if (!isSecond || isFirst) {
        doubtful.add(hosts.second());
      }
    }
    doubtful.remove(reference);
    return new Clocks(pairs, shifts, Set.copyOf(doubtful));
  }

  private Shift shift(String host) {
    Shift shift = shifts.get(host);
    return shift == null ? new Shift(host, host, 0, 0, false) : shift;
  }

  /** The correction subtracted from a host's times. */
  public long shiftNanos(String host) {
    return shift(host).nanos;
  }

  /** How far a host's times can be off; as far as one can think if they fit no others. */
  long uncertaintyNanos(String host) {
    return doubtful.contains(host) ? Long.MAX_VALUE : shift(host).uncertaintyNanos;
  }

  /** The hosts whose times were changed, by name. */
  public List<Shift> corrected() {
    return shifts.values().stream().filter(shift -> shift.nanos != 0).toList();
  }

  /** How much more was subtracted from the second host's times than from the first's. */
  public long correctionNanos(ClockSkew.Hosts hosts) {
    return shiftNanos(hosts.second()) - shiftNanos(hosts.first());
  }

  /** Pairs of hosts whose times, as they are now, do not fit the calls between them. */
  public List<ClockSkew.Hosts> disagreeing() {
    return pairs.stream().filter(hosts -> !agree(hosts)).toList();
  }

  private boolean agree(ClockSkew.Hosts hosts) {
    long nanos = correctionNanos(hosts);
    if (hosts.isContradictory() || (hosts.isSkewed() && nanos == 0)) {
      return false;
    }
    long grantedNanos =
        hosts.leastNanos()
            + hosts.crossedNanos()
            + shift(hosts.first()).uncertaintyNanos
            + shift(hosts.second()).uncertaintyNanos;
    return (!hosts.hasLow() || hosts.lowNanos() - nanos <= grantedNanos)
        && (!hosts.hasHigh() || nanos - hosts.highNanos() <= grantedNanos);
  }
}
