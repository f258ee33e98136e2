package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How spans send their calls to several workers: all at once, or late, or only after earlier ones
 * have ended.
 *
 * <p>Late calls and those one after the other must be all that the sender waited for at that time.
 * Otherwise another span may be the reason.
 */
public final class FanOutSends implements Serializable {

  /** Calls are late if the sending takes this share of the time until the last end, or more. */
  private static final double LATE = 0.1;

  /** How much longer than a call of its peers a straggler's may take to be only late. */
  private static final double AS_LONG = 1.1;

  /** The calls to one service by one name. */
  private record Key(int name, String service) implements Serializable {}

  /**
   * The calls by one name to one service, as often as a span had some to several of its workers.
   *
   * @param waiting the number of the name of the spans that waited for them; -1 if there are
   *     several
   * @param processes all that executed some
   * @param seen how often a span had such calls
   * @param late how often they were sent late, without waiting for an earlier one
   * @param spreadNanos the mean time from the first to the last that was sent, where late
   * @param last the process to which the last one was always sent, where late; -1 if it varied
   * @param serial how often each worker had one of them, and some were sent only after others had
   *     ended
   * @param serialNanos the time from the first to the last that was sent, added up, where serial
   * @param mostAtOnce how many were then under way at once, at most
   */
  public record Totals(
      int name,
      int waiting,
      BitSet processes,
      long seen,
      long late,
      long spreadNanos,
      int last,
      long serial,
      long serialNanos,
      int mostAtOnce) {}

  /** Calls that might have been sent with the first one. */
  record Held(SentCalls calls, boolean areLate) {}

  private static final int NONE = -1;
  private static final int SEVERAL = -2;

  /** Calls to so many workers. */
  private static final class Case implements Serializable {
    private long times;
    private long spreadNanos;
    private int mostAtOnce;

    /** The process to which the last one was sent. */
    private int last = NONE;

    void add(Case other) {
      times += other.times;
      spreadNanos += other.spreadNanos;
      mostAtOnce = Math.max(mostAtOnce, other.mostAtOnce);
      last = same(last, other.last);
    }
  }

  private static final class Sum implements Serializable {
    private int waiting = NONE;
    private final BitSet processes = new BitSet();
    private long seen;

    /** By the number of workers. */
    private final Map<Integer, Case> late = new HashMap<>();

    private final Map<Integer, Case> serial = new HashMap<>();

    void add(Sum part) {
      waiting = same(waiting, part.waiting);
      processes.or(part.processes);
      seen += part.seen;
      part.late.forEach((workers, other) -> of(late, workers).add(other));
      part.serial.forEach((workers, other) -> of(serial, workers).add(other));
    }

    static Case of(Map<Integer, Case> cases, int workers) {
      return cases.computeIfAbsent(workers, none -> new Case());
    }

    Totals totals(int name) {
      Case anyLate = new Case();
      late.forEach(
          (workers, one) -> {
            if (areMost(workers, processes)) {
              anyLate.add(one);
            }
          });
      Case toAll = serial.getOrDefault(processes.cardinality(), new Case());
      return new Totals(
          name,
          Math.max(NONE, waiting),
          processes,
          seen,
          anyLate.times,
          anyLate.spreadNanos / Math.max(1, anyLate.times),
          Math.max(NONE, anyLate.last),
          toAll.times,
          toAll.spreadNanos,
          toAll.mostAtOnce);
    }
  }

  private static int same(int one, int other) {
    return one == NONE || one == other ? other : other == NONE ? one : SEVERAL;
  }

  /**
   * Whether late calls go to most workers that ever have such calls. Otherwise somebody chose the
   * workers, perhaps because the first one did not answer in time.
   */
  static boolean areMost(int workers, BitSet all) {
    return workers >= FanOuts.MOSTLY * all.cardinality();
  }

  private final Spans spans;
  private final Map<Key, Sum> sums = new HashMap<>();

  // Only of these spans, without added parts.
  private final transient List<Held> held = new ArrayList<>();

  FanOutSends(Spans spans) {
    this.spans = spans;
  }

  void add(FanOutSends part) {
    part.sums.forEach((key, other) -> sums.computeIfAbsent(key, none -> new Sum()).add(other));
  }

  /**
   * Adds calls of one name that a span waited for, in several processes.
   *
   * @param clocks what is known of the times on their hosts
   */
  void add(SentCalls calls, Clocks clocks) {
    int first = calls.call(0);
    if (!calls.areOfOneService()) {
      return;
    }
    Sum sum =
        sums.computeIfAbsent(
            new Key(spans.name(first), spans.processOf(first).serviceName()), none -> new Sum());
    sum.waiting = same(sum.waiting, spans.name(calls.waiting()));
    sum.seen++;
    for (int i = 0; i < calls.count(); i++) {
      sum.processes.set(spans.process(calls.call(i)));
    }
    if (!calls.isKnown()
        || calls.spreadNanos() < LATE * calls.extentNanos()
        || !calls.areAlike()
        || !areClear(calls, clocks)) {
      return;
    }
    int atOnce = calls.mostAtOnce();
    boolean areAllAtOnce = atOnce == calls.count();
    if (!areAllAtOnce && calls.processes() < calls.count()) {
      return; // a worker may have its next call only after the last one
    }
    boolean areLate = areAllAtOnce || (atOnce > 1 && !calls.followEnds(atOnce));
    long waitedNanos = areLate ? calls.spreadNanos() : calls.extentNanos();
    if (calls.areAloneUntil(calls.sentNanos(0) + waitedNanos)) {
      Case one = Sum.of(areLate ? sum.late : sum.serial, calls.processes());
      one.times++;
      one.spreadNanos += calls.spreadNanos();
      one.mostAtOnce = Math.max(one.mostAtOnce, atOnce);
      one.last = same(one.last, spans.process(calls.call(calls.count() - 1)));
      held.add(new Held(calls, areLate));
    }
  }

  /** Whether clocks are good enough to compare ends of calls with times of sending. */
  private boolean areClear(SentCalls calls, Clocks clocks) {
    for (int i = 0; i < calls.count(); i++) {
      String host = spans.processOf(calls.call(i)).host();
      if (clocks.uncertaintyNanos(host) > Tolerance.nanos(spans.nanos(calls.call(i)))) {
        return false;
      }
    }
    return true;
  }

  /**
   * How much later than the first calls of a fan-out those of its straggler were sent.
   *
   * @param straggler its last process
   * @return 0 if they were not sent last, or took longer than those of its peers
   */
  static long lateNanos(Spans spans, SentCalls calls, int straggler) {
    if (!calls.isKnown()) {
      return 0;
    }
    Map<Integer, Integer> first = new HashMap<>(); // the order is that of the sending
    Map<Integer, Long> ends = new HashMap<>();
    for (int i = 0; i < calls.count(); i++) {
      int process = spans.process(calls.call(i));
      first.putIfAbsent(process, i);
      ends.merge(process, spans.end(calls.call(i)), Math::max);
    }
    int ofStraggler = first.getOrDefault(straggler, 0);
    if (first.values().stream().anyMatch(one -> one > ofStraggler)) {
      return 0;
    }
    long[] peers = new long[ends.size() - 1];
    long took = 0;
    int count = 0;
    for (Map.Entry<Integer, Long> end : ends.entrySet()) {
      long nanos = end.getValue() - calls.sentNanos(first.getOrDefault(end.getKey(), 0));
      if (end.getKey() == straggler) {
        took = nanos;
      } else {
        peers[count++] = nanos;
      }
    }
    Arrays.sort(peers);
    return took > AS_LONG * peers[(count - 1) / 2]
        ? 0
        : calls.sentNanos(ofStraggler) - calls.sentNanos(0);
  }

  /** Those of traces in memory that might have been sent with the first of them. */
  List<Held> held() {
    return held;
  }

  /** By name and service. */
  List<Totals> totals() {
    List<Key> keys = new ArrayList<>(sums.keySet());
    keys.sort(
        Comparator.<Key, String>comparing(key -> spans.names().text(key.name))
            .thenComparing(Key::service));
    List<Totals> totals = new ArrayList<>();
    keys.forEach(key -> totals.add(sums.getOrDefault(key, new Sum()).totals(key.name)));
    return totals;
  }
}
