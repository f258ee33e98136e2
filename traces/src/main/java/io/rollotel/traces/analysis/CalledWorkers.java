package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The processes that get the calls of a name, and how many workers these are.
 *
 * <p>A worker that restarts is another process. It is the same worker if it has the same rank, or
 * if the one process got its first call after the other one had got its last. Of a process that got
 * only a few calls, those two moments may be chance: it counts as there all the time.
 */
final class CalledWorkers implements Serializable {

  /** Fewer calls say nothing about when a process was there. */
  private static final int LEAST_TIMES = 3;

  /** When a process was called. */
  private static final class Stay implements Serializable {
    private long times;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;

    void add(long otherTimes, long from, long to) {
      times += otherTimes;
      first = Math.min(first, from);
      last = Math.max(last, to);
    }

    void add(Stay other) {
      add(other.times, other.first, other.last);
    }
  }

  private final Map<Integer, Stay> stays = new HashMap<>();

  /** A process gets calls at a moment. */
  void see(int process, long epochNanos) {
    stays.computeIfAbsent(process, none -> new Stay()).add(1, epochNanos, epochNanos);
  }

  void add(CalledWorkers part) {
    part.stays.forEach(
        (process, stay) -> stays.computeIfAbsent(process, none -> new Stay()).add(stay));
  }

  BitSet processes() {
    BitSet processes = new BitSet();
    stays.keySet().forEach(processes::set);
    return processes;
  }

  /**
   * How many workers were there at once, at most.
   *
   * @param processes those of the run
   */
  int count(List<TracedProcess> processes) {
    List<Stay> all = withoutRestarts(processes);
    int always = 0;
    List<Long> firsts = new ArrayList<>();
    List<Long> lasts = new ArrayList<>();
    for (Stay stay : all) {
      if (stay.times < LEAST_TIMES) {
        always++;
      } else {
        firsts.add(stay.first);
        lasts.add(stay.last);
      }
    }
    firsts.sort(null);
    lasts.sort(null);
    int most = 0;
    int gone = 0;
    for (int i = 0; i < firsts.size(); i++) {
      while (lasts.get(gone) < firsts.get(i)) {
        gone++;
      }
      most = Math.max(most, i + 1 - gone);
    }
    return always + most;
  }

  /** Processes of one rank, each of which came after the one before had gone, are one worker. */
  private List<Stay> withoutRestarts(List<TracedProcess> processes) {
    List<Map.Entry<Integer, Stay>> byFirst = new ArrayList<>(stays.entrySet());
    byFirst.sort(
        Comparator.<Map.Entry<Integer, Stay>>comparingLong(one -> one.getValue().first)
            .thenComparing(one -> processes.get(one.getKey()), TracedProcess.ORDER));
    Map<List<String>, Stay> ofRank = new HashMap<>();
    List<Stay> workers = new ArrayList<>();
    for (Map.Entry<Integer, Stay> one : byFirst) {
      TracedProcess process = processes.get(one.getKey());
      List<String> place = List.of(process.serviceName(), process.rank());
      Stay before = process.rank().isEmpty() ? null : ofRank.get(place);
      if (before == null || before.last >= one.getValue().first) {
        before = new Stay();
        workers.add(before);
        ofRank.put(place, before);
      }
      before.add(one.getValue());
    }
    return workers;
  }
}
