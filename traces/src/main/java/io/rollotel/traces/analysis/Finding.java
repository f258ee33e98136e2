package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A cause of lost time in a run, and how much earlier its steps would have ended without it.
 *
 * @param name the number of the span name concerned, or -1
 * @param steps the steps concerned, by start; the first one concerned if a worker became slow;
 *     empty for all
 * @param savesNanos the saving in a replay of the steps without it; {@link #UNKNOWN} if no replay
 *     can determine it
 * @param evidence spans that show it, the clearest first
 * @param detail what findings of its kind have besides; null if they have nothing
 */
public record Finding(
    Kind kind,
    int name,
    Where where,
    List<Steps.Step> steps,
    long savesNanos,
    Seen seen,
    List<Integer> evidence,
    @Nullable Detail detail) {

  /** Used if the saving is unknown. */
  public static final long UNKNOWN = -1;

  /** Without a detail. */
  public Finding(
      Kind kind,
      int name,
      Where where,
      List<Steps.Step> steps,
      long savesNanos,
      Seen seen,
      List<Integer> evidence) {
    this(kind, name, where, steps, savesNanos, seen, evidence, null);
  }

  /**
   * Who is concerned.
   *
   * @param processes several if no single one is to blame
   * @param host the host concerned, or empty
   * @param hosts the hosts that are slow as a whole, if several processes or hosts are concerned
   */
  public record Where(List<Integer> processes, String host, List<String> hosts) {

    /** Nobody in particular. */
    public static final Where ANYWHERE = new Where(List.of(), "", List.of());

    static Where of(List<Integer> processes) {
      return new Where(processes, "", List.of());
    }

    /** A host, without any of its processes. */
    public static Where host(String host) {
      return new Where(List.of(), host, List.of());
    }
  }

  /**
   * How much, and how often.
   *
   * @param ratio how many times as long as usual something took, or the share of it; of an
   *     imbalance, the share of the calls that the process with most work has, if that is more than
   *     others have; of serial calls, the most frequent number that run at once; 0 if neither
   *     applies
   * @param times how often it was seen; for steps at equal distances, the distance
   * @param of the number of cases in which it could have been seen
   */
  public record Seen(double ratio, long times, long of) {

    /** Where a ratio and the number of cases would say nothing. */
    public static Seen times(long times) {
      return new Seen(0, times, 0);
    }
  }

  /** What only some kinds of findings have. */
  public sealed interface Detail permits Below, WaitedFor, FanOutSends.Totals {}

  /**
   * What the spans below the calls of a slow process show, or the phases of longer steps.
   *
   * @param waitedForIn the name of the spans in which its peers wait for a process that is slow
   *     only in spans below its calls; otherwise -1
   * @param isItself whether that is the case in the calls themselves, apart from the spans below
   * @param part the name of the spans, or the phase, that most of a difference is in; -1 if there
   *     is none
   * @param share the share of the difference that is in them
   */
  public record Below(int waitedForIn, boolean isItself, int part, double share)
      implements Detail, Serializable {
    static final Below NOTHING = new Below(-1, false, -1, 0);

    static Below waitedForIn(int name, boolean isItself) {
      return new Below(name, isItself, -1, 0);
    }

    static Below mostIn(int part, double share) {
      return new Below(-1, false, part, share);
    }
  }

  /**
   * What spans wait for inside themselves.
   *
   * @param name the number of the name of the spans that they wait for
   * @param gapNanos how far apart their ends are, the median
   * @param lastTimes how often the one that ended then was one of the process that the finding
   *     names; 0 if it names none
   */
  public record WaitedFor(int name, long gapNanos, long lastTimes) implements Detail {}

  public List<Integer> processes() {
    return where.processes;
  }

  public String host() {
    return where.host;
  }

  public List<String> hosts() {
    return where.hosts;
  }

  public double ratio() {
    return seen.ratio;
  }

  public long times() {
    return seen.times;
  }

  public long of() {
    return seen.of;
  }

  /** What the spans below its calls show, of a slow process; or the phases of longer steps. */
  public Below below() {
    return detail instanceof Below below ? below : Below.NOTHING;
  }

  /** What spans of the name wait for; null if that is not what was found. */
  public @Nullable WaitedFor waitedFor() {
    return detail instanceof WaitedFor what ? what : null;
  }

  /** How the calls of the name are sent; null if that is not what was found. */
  public FanOutSends.@Nullable Totals sends() {
    return detail instanceof FanOutSends.Totals sends ? sends : null;
  }

  /** The kind of finding; {@link #toString} is its name in JSON. */
  public enum Kind {
    /** A process whose work repeatedly takes longer than its peers'. */
    SLOW_WORKER,
    /** All processes of one host that are slow in this way. */
    SLOW_HOST,
    /** Work that is shared out unevenly; with the process that repeatedly has most of it. */
    IMBALANCE,
    /** Fan-outs that a single call ends which takes much longer than the typical one. */
    LONG_TAIL,
    /** Calls to several workers of which the last are sent long after the first. */
    LATE_SENDS,
    /** Calls to several workers that are sent only after earlier ones have ended. */
    SERIAL_CALLS,
    /** Calls that failed in steps that did not. */
    FAILED_CALLS,
    /** Calls that the steps waited for and that waited to be executed. */
    QUEUE_WAIT,
    /** The phase with the most time, twice as fast. */
    PHASE,
    /** Steps that themselves work, or wait for what is not traced, longer than any phase takes. */
    UNATTRIBUTED,
    /** A single step that is longer than the others. */
    SLOW_STEP,
    /** The first steps, which are longer than those after them. */
    WARM_UP,
    /** Longer steps at equal distances. */
    PERIODIC_STEP,
    /** Steps that get longer and longer. */
    TREND,
    /** Spans that wait inside themselves for others. */
    WAITS_FOR,
    /** Workers that are idle for much of the steps' time. */
    IDLE,
    /** Work that outlived its callers. */
    OVERLAPPED_WORK,
    /** Spans that have not ended. */
    OPEN,
    /** Calls whose executions were not read. */
    MISSING_EXECUTIONS,
    /** Traces without a root. */
    MISSING_ROOT,
    /** Clocks of two hosts that differ. */
    CLOCK_SKEW;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
