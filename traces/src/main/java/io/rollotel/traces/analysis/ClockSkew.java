package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * How far the clocks of two hosts are apart, from calls that one sent to the other.
 *
 * <p>A child begins after its parent: if the second host's clock is ahead by θ, then {@code start
 * of child − start of parent ≥ θ} where the child is on the second; so is its {@code
 * roll.queue_ns}, which began when it was sent. Where the parent waited for it, {@code end of child
 * − end of parent ≤ θ}. The signs turn where the child is on the first. The bounds of all calls
 * together enclose θ.
 *
 * <p>Starts are certain, ends are not: a child that is longer than its parent, or whose parent is
 * of kind producer, was not waited for, and its end bounds nothing. Neither does an end that the
 * starts refute, as long as few are like that: work that outlived its caller.
 */
public final class ClockSkew {

  /** One of so many may contradict the others. */
  private static final int ONE_OF = 10;

  /**
   * Two hosts.
   *
   * @param lowNanos the least by which the second's clock can be ahead
   * @param highNanos the most; less than {@code lowNanos} where the calls contradict each other
   * @param sticksOut children that begin before or end after their parents
   * @param leastNanos what is less than this, a thousandth of the usual call, does not matter: ends
   *     are recorded a little late
   * @param isCertain whether starts alone leave no room for equal clocks, whoever waited for whom
   */
  public record Hosts(
      String first,
      String second,
      long pairs,
      long sticksOut,
      long lowNanos,
      long highNanos,
      boolean isCertain,
      long leastNanos) {

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

    /**
     * Children outlived their parents, or a clock was set during the run. A tenth of the estimate
     * is granted: clocks that are far apart drift, too.
     */
    public boolean isContradictory() {
      return isBounded()
          && lowNanos > highNanos
          && lowNanos - highNanos > Math.abs(estimateNanos()) / ONE_OF;
    }

    /** Whether equal clocks cannot have given these times, if each end bounds what it may. */
    public boolean isSkewed() {
      return !isContradictory() && (lowNanos > leastNanos || highNanos < -leastNanos);
    }

    /**
     * Whether the estimate is good enough to correct times by it. If it takes ends to tell that the
     * clocks differ, the bounds must agree to within a tenth: work that outlived its caller looks
     * like a clock that is ahead, but hardly ever by so narrow a margin. Where the clocks differ by
     * less than a tenth of the usual call, half is enough.
     */
    public boolean isCorrectable() {
      long near = Math.min(Math.abs(lowNanos), Math.abs(highNanos));
      long far = Math.max(Math.abs(lowNanos), Math.abs(highNanos));
      if (!isSkewed() || isCertain || near <= 0) {
        return isSkewed() && isCertain;
      }
      boolean isSmall = far <= 100 * leastNanos;
      return far - near <= (isSmall ? far / 2 : far / ONE_OF);
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
      return isBounded() ? (Math.abs(highNanos - lowNanos) + 1) / 2 : 0;
    }

    /** The smaller, the more these bounds say: those of one side alone say least. */
    long widthNanos() {
      return isBounded() ? Math.abs(highNanos - lowNanos) : Long.MAX_VALUE;
    }
  }

  private final Spans spans;
  private final String first;
  private final String second;

  /** Children on one of the hosts, with their parents on the other. */
  private int[] children = new int[16];

  private int[] parents = new int[16];
  private int pairs;
  private long callNanos;
  private long sticksOut;

  /** What starts say. */
  private long low = Long.MIN_VALUE;

  private long high = Long.MAX_VALUE;

  /** Two hosts, the first by name first. */
  ClockSkew(Spans spans, String first, String second) {
    this.spans = spans;
    this.first = first;
    this.second = second;
  }

  /** A child on the second host whose parent is on the first, or the other way round. */
  void call(int parent, int child, boolean isTurned) {
    if (pairs == children.length) {
      children = Arrays.copyOf(children, 2 * pairs);
      parents = Arrays.copyOf(parents, 2 * pairs);
    }
    children[pairs] = child;
    callNanos += spans.nanos(child);
    parents[pairs++] = isTurned ? ~parent : parent;
    begun(spans.start(child) - spans.start(parent), isTurned);
  }

  /** A span that began so long after what came before it, by two clocks. */
  void begun(long nanosAfter, boolean isTurned) {
    if (isTurned) {
      low = Math.max(low, -nanosAfter);
    } else {
      high = Math.min(high, nanosAfter);
    }
  }

  /** What all calls say. */
  Hosts hosts() {
    long allLow = low;
    long allHigh = high;
    long keptLow = low;
    long keptHigh = high;
    int ends = 0;
    int refuted = 0;
    for (int i = 0; i < pairs; i++) {
      boolean isTurned = parents[i] < 0;
      int parent = isTurned ? ~parents[i] : parents[i];
      int child = children[i];
      long nanosAfter = spans.end(child) - spans.end(parent);
      boolean isWaitedFor =
          spans.kind(parent) != Span.PRODUCER && spans.nanos(child) <= spans.nanos(parent);
      if (spans.start(child) < spans.start(parent) || (isWaitedFor && nanosAfter > 0)) {
        sticksOut++;
      }
      if (!isWaitedFor) {
        continue;
      }
      ends++;
      long bound = isTurned ? -nanosAfter : nanosAfter;
      boolean isRefuted =
          isTurned
              ? low != Long.MIN_VALUE && low - bound > spans.nanos(child) / ONE_OF
              : high != Long.MAX_VALUE && bound - high > spans.nanos(child) / ONE_OF;
      refuted += isRefuted ? 1 : 0;
      if (isTurned) {
        allHigh = Math.min(allHigh, bound);
        keptHigh = isRefuted ? keptHigh : Math.min(keptHigh, bound);
      } else {
        allLow = Math.max(allLow, bound);
        keptLow = isRefuted ? keptLow : Math.max(keptLow, bound);
      }
    }
    boolean isKept = (long) refuted * ONE_OF <= ends;
    return new Hosts(
        first,
        second,
        pairs,
        sticksOut,
        isKept ? keptLow : allLow,
        isKept ? keptHigh : allHigh,
        low > 0 || high < 0,
        pairs == 0 ? 0 : callNanos / pairs / 1000);
  }
}
