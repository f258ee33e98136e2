package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The latest fan-outs of a process: those in which it was slower than its peers, since the last one
 * in which it was not. The results of parts of a run add up in any order.
 */
final class SlowSince implements Serializable {

  /** Instead of the start of a fan-out: it is not looked at. */
  static final long NOT_KEPT = Long.MIN_VALUE;

  /** A process that is slow all the time needs no more. */
  private static final int MOST = 10_000;

  private record Slow(long startNanos, double ratio) implements Serializable {}

  private static final Comparator<Slow> LATEST_FIRST =
      Comparator.comparingLong(Slow::startNanos).reversed().thenComparing(Slow::ratio);

  private List<Slow> slow = new ArrayList<>(0);

  /** The start of the last fan-out in which the process was not slow. */
  private long lastOtherNanos = Long.MIN_VALUE;

  /** The start of the last slow one that was left out, since there were too many. */
  private long lastLeftOutNanos = Long.MIN_VALUE;

  /** Adds a fan-out in which the process was slow. */
  void addSlow(long startNanos, double ratio) {
    if (startNanos > lastOtherNanos) { // false if it is not kept
      slow.add(new Slow(startNanos, ratio));
      cut();
    }
  }

  /** Adds a fan-out in which it was not. */
  void addOther(long startNanos) {
    if (startNanos > lastOtherNanos) {
      lastOtherNanos = startNanos;
      if (!slow.isEmpty()) {
        slow.removeIf(one -> one.startNanos <= lastOtherNanos);
      }
    }
  }

  void add(SlowSince part) {
    addOther(part.lastOtherNanos);
    lastLeftOutNanos = Math.max(lastLeftOutNanos, part.lastLeftOutNanos);
    part.slow.forEach(one -> addSlow(one.startNanos, one.ratio));
  }

  private void cut() {
    if (slow.size() >= 2 * MOST) {
      slow.sort(LATEST_FIRST);
      lastLeftOutNanos = Math.max(lastLeftOutNanos, slow.get(MOST).startNanos);
      slow = new ArrayList<>(slow.subList(0, MOST));
    }
  }

  /** Their number; 0 if it is not known, since they are too many. */
  int count() {
    return lastLeftOutNanos > lastOtherNanos || slow.size() > MOST ? 0 : slow.size();
  }

  /** How many of them are slower by so many times or more. */
  int countFrom(double ratio) {
    return (int) slow.stream().filter(one -> one.ratio >= ratio).count();
  }

  /** The start of the first. */
  long startNanos() {
    return slow.stream().mapToLong(Slow::startNanos).min().orElse(Long.MAX_VALUE);
  }

  /** The median ratio. */
  double ratio() {
    return LowerMedian.of(slow.stream().mapToDouble(Slow::ratio));
  }
}
