package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How spans send their calls to several workers: all at once, or late, or only after earlier ones
 * have ended.
 *
 * <p>Late calls and those one after the other must be all that the sender waited for at that time,
 * apart from its own work before it sends a late call. Otherwise another span may be the reason.
 */
public final class FanOutSends implements Serializable {

  /** Calls are late if the sending takes this share of the time until the last end, or more. */
  private static final double LATE = 0.1;

  /** The calls to one service by one name. */
  private record Key(int name, String service) implements Serializable {}

  /**
   * The calls by one name to one service, as often as a span had some to several of its workers.
   *
   * @param waiting the number of the name of the spans that waited for them; -1 if there are
   *     several
   * @param processes all that executed some
   * @param workers how many workers these are, at once: one that restarted has several processes
   * @param seen how often a span had such calls
   * @param late how often they were sent late, without waiting for an earlier one
   * @param spreadNanos the mean time from the first to the last that was sent, where late
   * @param last the process to which the last one was always sent, where late; -1 if it varied
   * @param serial how often each worker had one of them, and some were sent only after others had
   *     ended
   * @param serialNanos the time from the first to the last that was sent, added up, where serial
   * @param atOnce how many were then under way at once, most frequently
   */
  public record Totals(
      int name,
      int waiting,
      List<Integer> processes,
      int workers,
      long seen,
      long late,
      long spreadNanos,
      int last,
      long serial,
      long serialNanos,
      int atOnce)
      implements Finding.Detail {

    BitSet processSet() {
      BitSet set = new BitSet();
      processes.forEach(set::set);
      return set;
    }
  }

  /** Calls that might have been sent with the first one. */
  record Delayed(SentCalls calls, boolean areLate) {}

  private static final int NONE = -1;
  private static final int SEVERAL = -2;

  /** Calls to so many workers. */
  private static final class Case implements Serializable {
    private long times;
    private long spreadNanos;

    /** How often so many calls were under way at once, at most. */
    private final Map<Integer, Long> timesAtOnce = new TreeMap<>();

    /** The process to which the last one was sent. */
    private int last = NONE;

    void add(Case other) {
      times += other.times;
      spreadNanos += other.spreadNanos;
      other.timesAtOnce.forEach((count, often) -> timesAtOnce.merge(count, often, Long::sum));
      last = same(last, other.last);
    }

    /** How many calls were under way at once most often; of several, the largest number. */
    int atOnce() {
      int found = 0;
      long most = 0;
      for (Map.Entry<Integer, Long> one : timesAtOnce.entrySet()) {
        found = one.getValue() >= most ? one.getKey() : found;
        most = Math.max(most, one.getValue());
      }
      return found;
    }
  }

  private static final class Sum implements Serializable {
    private int waiting = NONE;
    private final CalledWorkers called = new CalledWorkers();
    private long seen;

    /** By the number of workers. */
    private final Map<Integer, Case> late = new HashMap<>();

    private final Map<Integer, Case> serial = new HashMap<>();

    void add(Sum part) {
      waiting = same(waiting, part.waiting);
      called.add(part.called);
      seen += part.seen;
      part.late.forEach((workers, other) -> of(late, workers).add(other));
      part.serial.forEach((workers, other) -> of(serial, workers).add(other));
    }

    static Case of(Map<Integer, Case> cases, int workers) {
      return cases.computeIfAbsent(workers, none -> new Case());
    }

    Totals totals(int name, List<TracedProcess> processes) {
      int all = called.count(processes);
      Case anyLate = new Case();
      late.forEach(
          (workers, one) -> {
            if (areMost(workers, all)) {
              anyLate.add(one);
            }
          });
      Case toAll = serial.getOrDefault(all, new Case());
      return new Totals(
          name,
          Math.max(NONE, waiting),
          called.processes().stream()
              .boxed()
              .sorted(Comparator.comparing(processes::get, TracedProcess.ORDER))
              .toList(),
          all,
          seen,
          anyLate.times,
          anyLate.spreadNanos / Math.max(1, anyLate.times),
          Math.max(NONE, anyLate.last),
          toAll.times,
          toAll.spreadNanos,
          toAll.atOnce());
    }
  }

  private static int same(int one, int other) {
    return one == NONE || one == other ? other : other == NONE ? one : SEVERAL;
  }

  /**
   * Whether late calls go to most workers that ever have such calls. Otherwise somebody chose the
   * workers, perhaps because the first one did not answer in time.
   */
  static boolean areMost(int workers, int all) {
    return workers >= FanOuts.MOSTLY * all;
  }

  private final Spans spans;
  private final Map<Key, Sum> sums = new HashMap<>();

  // Only of these spans, without added parts.
  private transient @Nullable List<Delayed> delayed;

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
    calls.processes().forEach(process -> sum.called.see(process, spans.start(calls.waiting())));
    if (!calls.isKnown()
        || calls.extentNanos() <= 0
        || calls.spreadNanos() < LATE * calls.extentNanos()
        || !calls.areAlike()
        || !calls.areClear(clocks)) {
      return;
    }
    int atOnce = calls.mostAtOnce();
    boolean areAllAtOnce = atOnce == calls.count();
    if (!areAllAtOnce && calls.workers() < calls.count()) {
      return; // a worker may have its next call only after the last one
    }
    boolean areLate = areAllAtOnce || (atOnce > 1 && !calls.followEnds(atOnce));
    if (areLate ? calls.areOnlySent() : calls.areAlone()) {
      Case one = Sum.of(areLate ? sum.late : sum.serial, calls.workers());
      one.times++;
      one.spreadNanos += calls.spreadNanos();
      one.timesAtOnce.merge(atOnce, 1L, Long::sum);
      one.last = same(one.last, spans.process(calls.call(calls.count() - 1)));
      delayed = delayed == null ? new ArrayList<>() : delayed;
      delayed.add(new Delayed(calls, areLate));
    }
  }

  /** Those of traces in memory that might have been sent with the first of them. */
  List<Delayed> delayed() {
    return delayed == null ? List.of() : delayed;
  }

  /** By name and service. */
  List<Totals> totals() {
    List<Key> keys = new ArrayList<>(sums.keySet());
    keys.sort(
        Comparator.<Key, String>comparing(key -> spans.names().text(key.name))
            .thenComparing(Key::service));
    List<Totals> totals = new ArrayList<>();
    keys.forEach(
        key -> totals.add(sums.getOrDefault(key, new Sum()).totals(key.name, spans.processes())));
    return totals;
  }
}
