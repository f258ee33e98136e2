package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** How the spans of some traces change for a {@link WhatIf}. */
final class StepChanges {

  private final Spans spans;
  private final OwnWork own;
  private final SlowProcesses slow;
  private final CollectiveShifts shifts;
  private final EarlierSends sends;
  private final IntPredicate isPhase;
  private final IntPredicate waitedForStart;
  private final IntPredicate isFailed;

  /** The factor for each span if slow processes were as fast as their peers; usually 1. */
  private final double[] toPeers;

  /** The same if, in addition, the work of each fan-out were distributed evenly. */
  private final double[] toMean;

  /** For each long call that ends its fan-out, and others as long there: the typical call. */
  private final Map<Integer, Long> typicalNanos = new HashMap<>();

  /**
   * Measures the fan-outs.
   *
   * @param roots the spans that began traces, if these count as steps
   * @param shifts how much earlier calls end if processes are not slow below them
   * @param sends calls that might have been sent earlier
   * @param isPhase whether a step waited for the span itself
   * @param waitedForStart whether a call waited for its process to start
   * @param isFailed whether a call failed, and its step did not
   * @param found receives how uneven they are
   */
  StepChanges(
      Spans spans,
      OwnWork own,
      List<int[]> fanOuts,
      int[] roots,
      SlowProcesses slow,
      CollectiveShifts shifts,
      EarlierSends sends,
      IntPredicate isPhase,
      IntPredicate waitedForStart,
      IntPredicate isFailed,
      Replays found) {
    this.spans = spans;
    this.own = own;
    this.slow = slow;
    this.shifts = shifts;
    this.sends = sends;
    this.isPhase = isPhase;
    this.waitedForStart = waitedForStart;
    this.isFailed = isFailed;
    boolean isNeeded = !fanOuts.isEmpty() || slow.hasRoots();
    this.toPeers = new double[isNeeded ? spans.size() : 0];
    Arrays.fill(toPeers, 1);
    for (int root : slow.hasRoots() ? roots : new int[0]) {
      toPeers[root] = slow.rootToPeers(spans.name(root), spans.process(root));
    }
    this.toMean = toPeers.clone();
    FanOutWork work = new FanOutWork(spans, this::mended);
    for (int[] fanOut : fanOuts) {
      long startNanos = PeerTimes.startNanos(spans, fanOut);
      for (int span : fanOut) {
        toPeers[span] = slow.toPeers(spans.name(fanOut[0]), spans.process(span), startNanos);
      }
    }
    for (int[] fanOut : fanOuts) {
      even(fanOut, work, found);
    }
  }

  /** Whether the time of a failed call is lost. If it sent calls itself, that is not known. */
  boolean isLost(int span) {
    return isFailed.test(span) && !own.isOpened(span);
  }

  private void even(int[] fanOut, FanOutWork work, Replays found) {
    if (Arrays.stream(fanOut).anyMatch(isFailed)) { // who repeats a call has more work
      for (int span : fanOut) {
        toMean[span] = toPeers[span];
      }
      return;
    }
    work.of(fanOut);
    double all = 0;
    int last = work.process(0);
    for (int i = 0; i < work.count(); i++) {
      int process = work.process(i);
      all += work.nanos(process);
      last = work.nanos(process) > work.nanos(last) ? process : last;
    }
    double mean = all / work.count();
    long longest = 0; // no process can do its call faster, however calls are shared out
    if (LongTail.areCallsWhole(fanOut.length, work.count())) {
      for (int span : fanOut) {
        longest = Math.max(longest, mended(span));
      }
    }
    for (int span : fanOut) {
      int process = spans.process(span);
      long nanos = work.nanos(process);
      double times = nanos == 0 ? 1 : mean / nanos;
      if (times < 1 && longest > 0) {
        double extent = Math.max(1, work.extentNanos(process) * toPeers[span]);
        times = Math.min(1, Math.max(times, longest / extent));
      }
      toMean[span] = nanos == 0 ? 1 : toPeers[span] * times;
    }
    tails(fanOut, work.count());
    found.fanOut(spans.name(fanOut[0]), Math.round(work.nanos(last) - mean), work, last);
  }

  private void tails(int[] fanOut, int processes) {
    long typical = LongTail.typicalNanos(spans, fanOut, processes);
    for (int span : typical < 0 ? new int[0] : fanOut) {
      if (LongTail.isLong(spans.nanos(span), typical)) {
        typicalNanos.put(span, typical);
      }
    }
  }

  /** How much longer a long call takes than the typical one of its fan-out; 0 for others. */
  long tailNanos(int span) {
    return spans.nanos(span) - typicalNanos.getOrDefault(span, spans.nanos(span));
  }

  /** A process's own work in a span if slow processes are as fast as their peers. */
  private long mended(int span) {
    return toPeers[span] == 1 ? own.nanos(span) : Math.round(own.nanos(span) * toPeers[span]);
  }

  StepReplay.Change of(WhatIf whatIf) {
    return switch (whatIf.kind()) {
      case AS_FAST_AS_PEERS ->
          shifts.with(
              (span, took) ->
                  span < toPeers.length
                          && toPeers[span] != 1
                          && whatIf.processes().get(spans.process(span))
                      ? changed(span, took, toPeers[span])
                      : took,
              whatIf.processes());
      case EVENLY ->
          shifts.with(
              (span, took) ->
                  span < toMean.length && toMean[span] != 1
                      ? changed(span, took, toMean[span])
                      : took,
              slow.processes());
      case WITHOUT_TAIL ->
          (span, took) ->
              spans.name(span) == whatIf.name() ? Math.max(0, took - tailNanos(span)) : took;
      case SENT_AT_ONCE, RUN_AT_ONCE -> sends.with(whatIf);
      case WITHOUT_FAILURES -> (span, took) -> isLost(span) ? 0 : took;
      case WITHOUT_QUEUE -> withoutQueue(whatIf.name());
      case HALF_THE_PHASE ->
          (span, took) -> spans.name(span) == whatIf.name() && isPhase.test(span) ? took / 2 : took;
    };
  }

  /** The duration of a span if its process's own work changes by this factor. */
  private long changed(int span, long took, double times) {
    long nanos = Math.min(took, own.nanos(span));
    return took - nanos + Math.round(nanos * times);
  }

  private StepReplay.Change withoutQueue(int name) {
    return new StepReplay.Change() {
      @Override
      public long nanos(int span, long tookNanos) {
        return tookNanos;
      }

      @Override
      public boolean isQueued(int span) {
        return spans.name(span) != name || waitedForStart.test(span);
      }
    };
  }
}
