package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far the clocks of two hosts are apart, from parents on one and children on the other.
 *
 * <p>A child runs within its parent: if the second host's clock is ahead by θ, then {@code start of
 * child − start of parent ≥ θ} where the child is on the second, and {@code end of child − end of
 * parent ≤ θ}; with the signs turned where it is on the first. The bounds of all pairs together
 * enclose θ. A child that is longer than its parent, or a parent of kind producer, was not waited
 * for: its end bounds nothing.
 */
public final class ClockSkew {

  /**
   * Two hosts.
   *
   * @param lowNanos the least by which the second's clock can be ahead
   * @param highNanos the most; less than {@code lowNanos} where the pairs contradict each other
   * @param sticksOut children that begin before or end after their parents
   */
  public record Hosts(
      String first, String second, long pairs, long sticksOut, long lowNanos, long highNanos) {

    /** Whether there is a lower bound. */
    public boolean hasLow() {
      return lowNanos != Long.MIN_VALUE;
    }

    /** Whether there is an upper bound. */
    public boolean hasHigh() {
      return highNanos != Long.MAX_VALUE;
    }

    boolean isBounded() {
      return hasLow() && hasHigh();
    }

    /** Children outlived their parents, or a clock was set during the run. */
    public boolean isContradictory() {
      return isBounded() && lowNanos > highNanos;
    }

    /** Whether equal clocks cannot have given these times. */
    public boolean isSkewed() {
      return !isContradictory() && (lowNanos > 0 || highNanos < 0);
    }

    /** The middle of the bounds, the one there is where the other is missing. */
    public long estimateNanos() {
      if (!hasLow()) {
        return highNanos;
      }
      return !hasHigh() ? lowNanos : lowNanos + (highNanos - lowNanos) / 2;
    }

    /** The host whose clock is ahead, by the estimate. */
    public String ahead() {
      return estimateNanos() > 0 ? second : first;
    }

    /** The host whose clock is behind, by the estimate. */
    public String behind() {
      return estimateNanos() > 0 ? first : second;
    }

    /** How far the estimate can be off; 0 where there is one bound alone. */
    public long uncertaintyNanos() {
      return isBounded() ? (highNanos - lowNanos + 1) / 2 : 0;
    }
  }

  private static final int PRODUCER = 4;

  private static final class Bounds {
    long pairs;
    long sticksOut;
    long low = Long.MIN_VALUE;
    long high = Long.MAX_VALUE;
  }

  private ClockSkew() {}

  /** The hosts of a run that called each other, two by two. */
  static List<Hosts> of(Spans spans, SpanTree tree, int[] members) {
    String[] hosts = spans.processes().stream().map(TracedProcess::host).toArray(String[]::new);
    Map<String, Map<String, Bounds>> found = new TreeMap<>();
    for (int child : members) {
      int parent = tree.parent(child);
      if (parent < 0 || spans.process(parent) == spans.process(child)) {
        continue;
      }
      String of = hosts[spans.process(parent)];
      String at = hosts[spans.process(child)];
      if (of.equals(at) || !spans.isTimed(child) || !spans.isTimed(parent)) {
        continue;
      }
      boolean isTurned = of.compareTo(at) > 0;
      Bounds bounds =
          found
              .computeIfAbsent(isTurned ? at : of, host -> new TreeMap<>())
              .computeIfAbsent(isTurned ? of : at, host -> new Bounds());
      pair(spans, parent, child, isTurned, bounds);
    }
    List<Hosts> all = new ArrayList<>();
    found.forEach(
        (first, others) ->
            others.forEach(
                (second, bounds) ->
                    all.add(
                        new Hosts(
                            first,
                            second,
                            bounds.pairs,
                            bounds.sticksOut,
                            bounds.low,
                            bounds.high))));
    all.sort(Comparator.comparing(Hosts::first).thenComparing(Hosts::second));
    return all;
  }

  private static void pair(Spans spans, int parent, int child, boolean isTurned, Bounds bounds) {
    long starts = spans.start(child) - spans.start(parent);
    long ends = spans.end(child) - spans.end(parent);
    boolean isWaitedFor =
        spans.kind(parent) != PRODUCER && spans.nanos(child) <= spans.nanos(parent);
    bounds.pairs++;
    if (starts < 0 || (isWaitedFor && ends > 0)) {
      bounds.sticksOut++;
    }
    if (isTurned) {
      bounds.low = Math.max(bounds.low, -starts);
      bounds.high = isWaitedFor ? Math.min(bounds.high, -ends) : bounds.high;
    } else {
      bounds.high = Math.min(bounds.high, starts);
      bounds.low = isWaitedFor ? Math.max(bounds.low, ends) : bounds.low;
    }
  }
}
