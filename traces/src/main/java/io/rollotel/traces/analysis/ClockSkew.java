package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;

/**
 * How far the clocks of two hosts are apart, from calls that one sent to the other.
 *
 * <p>A child begins after its parent: if the second host's clock is ahead by θ, then {@code start
 * of child − start of parent ≥ θ} where the child is on the second; so is its {@code
 * roll.queue_ns}, which began when it was sent. Where the parent waited for it, {@code end of child
 * − end of parent ≤ θ}. The signs are reversed if the child is on the first host. The bounds of all
 * calls together enclose θ.
 *
 * <p>Starts are certain, ends are not: a child that is longer than its parent, or whose parent is
 * of kind producer, was not waited for, and its end bounds nothing. Neither does an end that
 * contradicts the starts, as long as there are few of these: they are work that outlived its
 * caller.
 */
public final class ClockSkew implements Serializable {

  /** One of so many may contradict the others. */
  private static final int ONE_OF = 10;

  /** Calls of clocks that wander contradict each other by less than this part of the usual call. */
  private static final int ONE_OF_CALL = 20;

  /** {@link Hosts#leastNanos} is this part of the usual call. */
  private static final int LEAST_OF_CALL = 1000;

  /**
   * Two hosts.
   *
   * @param lowNanos the least by which the second's clock can be ahead
   * @param highNanos the most; less than {@code lowNanos} if the calls contradict each other
   * @param sticksOut children that begin before or end after their parents
   * @param leastNanos differences below this, a thousandth of the usual call, do not matter,
   *     because ends are recorded slightly late
   * @param isCertain whether starts alone exclude equal clocks, whichever span waited for which
   */
  public record Hosts(
      String first,
      String second,
      long pairs,
      long sticksOut,
      long lowNanos,
      long highNanos,
      boolean isCertain,
      long leastNanos)
      implements Serializable {

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
     * is tolerated, because clocks that are far apart also drift; and a twentieth of the usual
     * call, because clocks that are kept equal wander, and ends are recorded late: that is half of
     * what the analysis tolerates ({@link Tolerance}).
     */
    public boolean isContradictory() {
      return crossedNanos()
          > Math.max(Math.abs(estimateNanos()) / ONE_OF, leastNanos * LEAST_OF_CALL / ONE_OF_CALL);
    }

    /**
     * Whether equal clocks cannot explain these times, taking every bound of the ends into account.
     * Bounds that contradict each other a little are on either side of the truth.
     */
    public boolean isSkewed() {
      return !isContradictory()
          && (Math.min(lowNanos, highNanos) > leastNanos
              || Math.max(lowNanos, highNanos) < -leastNanos);
    }

    /** Whether times of one host do not fit those of the other. */
    public boolean isDoubtful() {
      return isSkewed() || isContradictory();
    }

    /**
     * Whether the estimate is good enough to correct times by it. If only ends show that the clocks
     * differ, the bounds must agree to within a tenth: work that outlived its caller looks like a
     * clock that is ahead, but rarely with such narrow bounds. If the clocks differ by less than a
     * tenth of the usual call, half is enough.
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

    /** The middle of the bounds; if one is missing, the other bound. */
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

    /** How far the estimate can be off; 0 if there is only one bound. */
    public long uncertaintyNanos() {
      return isBounded() ? (Math.abs(highNanos - lowNanos) + 1) / 2 : 0;
    }

    /** By how much the bounds contradict each other. */
    long crossedNanos() {
      return isBounded() ? Math.max(0, lowNanos - highNanos) : 0;
    }

    /** Smaller values mean more precise bounds; a bound on one side only is the least precise. */
    long widthNanos() {
      return isBounded() ? Math.abs(highNanos - lowNanos) : Long.MAX_VALUE;
    }
  }

  private final String first;
  private final String second;
  private long pairs;
  private long callNanos;

  // What starts say.
  private long low = Long.MIN_VALUE;
  private long high = Long.MAX_VALUE;

  // The bounds from ends: all of them, and those that the starts do not contradict.
  private long lowOfEnds = Long.MIN_VALUE;
  private long highOfEnds = Long.MAX_VALUE;
  private long keptLowOfEnds = Long.MIN_VALUE;
  private long keptHighOfEnds = Long.MAX_VALUE;
  private long sticksOut;
  private long ends;
  private long refuted;

  /** Two hosts, the first by name first. */
  ClockSkew(String first, String second) {
    this.first = first;
    this.second = second;
  }

  /**
   * The starts of a child on the second host whose parent is on the first, or the other way round.
   */
  void called(Spans spans, int parent, int child, boolean isTurned) {
    pairs++;
    callNanos += spans.nanos(child);
    begun(spans.start(child) - spans.start(parent), isTurned);
  }

  /** A span that began this long after its predecessor, by two clocks. */
  void begun(long nanosAfter, boolean isTurned) {
    if (isTurned) {
      low = Math.max(low, -nanosAfter);
    } else {
      high = Math.min(high, nanosAfter);
    }
  }

  /** Adds what the starts of other calls say. */
  void addStarts(ClockSkew part) {
    pairs += part.pairs;
    callNanos += part.callNanos;
    low = Math.max(low, part.low);
    high = Math.min(high, part.high);
  }

  /** The ends of such a child and its parent, once the facts from all starts are known. */
  void ended(Spans spans, int parent, int child, boolean isTurned) {
    long nanosAfter = spans.end(child) - spans.end(parent);
    boolean isWaitedFor =
        spans.kind(parent) != Span.PRODUCER && spans.nanos(child) <= spans.nanos(parent);
    if (spans.start(child) < spans.start(parent) || (isWaitedFor && nanosAfter > 0)) {
      sticksOut++;
    }
    if (!isWaitedFor) {
      return;
    }
    ends++;
    long bound = isTurned ? -nanosAfter : nanosAfter;
    boolean isRefuted =
        isTurned
            ? low != Long.MIN_VALUE && low - bound > spans.nanos(child) / ONE_OF
            : high != Long.MAX_VALUE && bound - high > spans.nanos(child) / ONE_OF;
    refuted += isRefuted ? 1 : 0;
    if (isTurned) {
      highOfEnds = Math.min(highOfEnds, bound);
      keptHighOfEnds = isRefuted ? keptHighOfEnds : Math.min(keptHighOfEnds, bound);
    } else {
      lowOfEnds = Math.max(lowOfEnds, bound);
      keptLowOfEnds = isRefuted ? keptLowOfEnds : Math.max(keptLowOfEnds, bound);
    }
  }

  /** Adds what the ends of other calls say. */
  void addEnds(ClockSkew part) {
    lowOfEnds = Math.max(lowOfEnds, part.lowOfEnds);
    highOfEnds = Math.min(highOfEnds, part.highOfEnds);
    keptLowOfEnds = Math.max(keptLowOfEnds, part.keptLowOfEnds);
    keptHighOfEnds = Math.min(keptHighOfEnds, part.keptHighOfEnds);
    sticksOut += part.sticksOut;
    ends += part.ends;
    refuted += part.refuted;
  }

  /** The result of all calls. */
  Hosts hosts() {
    boolean isKept = refuted * ONE_OF <= ends;
    return new Hosts(
        first,
        second,
        pairs,
        sticksOut,
        Math.max(low, isKept ? keptLowOfEnds : lowOfEnds),
        Math.min(high, isKept ? keptHighOfEnds : highOfEnds),
        low > 0 || high < 0,
        pairs == 0 ? 0 : callNanos / pairs / LEAST_OF_CALL);
  }
}
