package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * How much earlier the calls of fan-outs end if processes that are slow below them are as fast as
 * their peers.
 *
 * <p>The process that waits the shortest is the last to arrive. If it arrives earlier, all calls of
 * the fan-out end earlier by the same time, until another process is the last.
 */
final class CollectiveShifts {

  /** For the processes of a fan-out, how long each waited, and how much longer it needs. */
  private static final class FanOut {
    private final int[] processes;
    private final long[] waitedNanos;
    private final long[] excessNanos;

    FanOut(int[] processes, long[] waitedNanos, long[] excessNanos) {
      this.processes = processes;
      this.waitedNanos = waitedNanos;
      this.excessNanos = excessNanos;
    }

    long shiftNanos(BitSet fast) {
      long now = Long.MAX_VALUE;
      long then = Long.MAX_VALUE;
      for (int i = 0; i < processes.length; i++) {
        now = Math.min(now, waitedNanos[i]);
        then = Math.min(then, waitedNanos[i] + (fast.get(processes[i]) ? excessNanos[i] : 0));
      }
      return then - now;
    }
  }

  private final List<FanOut> fanOuts = new ArrayList<>();

  /** For each span, one plus the place of its fan-out; 0 for none. */
  private final int[] fanOutOf;

  /** Measures the fan-outs in which a process is slow. */
  CollectiveShifts(
      Spans spans, SpanTree tree, SpanTree waits, List<int[]> groups, SlowProcesses slow) {
    boolean isNeeded = !slow.collectives().isEmpty();
    this.fanOutOf = new int[isNeeded ? spans.size() : 0];
    if (!isNeeded) {
      return;
    }
    NestedWork work = new NestedWork(spans, tree, waits);
    for (int[] group : groups) {
      SlowInCollectives.Collective collective = slow.collectives().get(spans.name(group[0]));
      if (collective == null) {
        continue;
      }
      work.of(group);
      FanOut fanOut = fanOut(work, collective);
      if (fanOut.processes.length < 2) {
        continue;
      }
      fanOuts.add(fanOut);
      BitSet taking = new BitSet();
      Arrays.stream(fanOut.processes).forEach(taking::set);
      for (int span : group) {
        fanOutOf[span] = taking.get(spans.process(span)) ? fanOuts.size() : 0;
      }
    }
  }

  /** Of the processes that waited at all. */
  private static FanOut fanOut(NestedWork work, SlowInCollectives.Collective collective) {
    int[] processes = new int[work.processCount()];
    long[] waited = new long[processes.length];
    long[] excess = new long[processes.length];
    int count = 0;
    for (int i = 0; i < work.processCount(); i++) {
      boolean hasWaited = false;
      waited[count] = 0;
      for (int wait : collective.waits()) {
        int name = work.placeOf(wait);
        if (name >= 0 && work.has(name, i)) {
          hasWaited = true;
          waited[count] += work.perCall(name, i);
        }
      }
      if (hasWaited) {
        excess[count] =
            excess(work, i, collective.excess().getOrDefault(work.process(i), Map.of()));
        processes[count++] = work.process(i);
      }
    }
    return new FanOut(
        Arrays.copyOf(processes, count),
        Arrays.copyOf(waited, count),
        Arrays.copyOf(excess, count));
  }

  private static long excess(NestedWork work, int process, Map<Integer, Double> shares) {
    double sum = 0;
    for (Map.Entry<Integer, Double> one : shares.entrySet()) {
      int name = work.placeOf(one.getKey());
      if (name >= 0 && work.has(name, process)) {
        sum += one.getValue() * work.perCall(name, process);
      }
    }
    return Math.round(sum);
  }

  /** How much shorter calls are if some processes are as fast as their peers. */
  StepReplay.Change with(StepReplay.Change change, BitSet fast) {
    if (fanOuts.isEmpty()) {
      return change;
    }
    long[] shifts = fanOuts.stream().mapToLong(one -> one.shiftNanos(fast)).toArray();
    return (span, took) -> {
      long takes = change.nanos(span, took);
      int fanOut = fanOutOf[span];
      return fanOut == 0 ? takes : Math.max(0, takes - shifts[fanOut - 1]);
    };
  }
}
