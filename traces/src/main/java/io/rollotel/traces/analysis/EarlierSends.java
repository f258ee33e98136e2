package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.BitSet;
import java.util.List;

/** Calls that might have been sent with the first of them ({@link FanOutSends}). */
final class EarlierSends {

  private final Spans spans;
  private final List<FanOutSends.Delayed> delayed;

  /** For each span right below a sender, one plus the place of its calls; 0 for none. */
  private final int[] delayedOf;

  /** The same for each span that received a call. */
  private final int[] receivedOf;

  EarlierSends(Spans spans, List<FanOutSends.Delayed> delayed) {
    this.spans = spans;
    this.delayed = delayed;
    this.delayedOf = new int[delayed.isEmpty() ? 0 : spans.size()];
    this.receivedOf = new int[delayedOf.length];
    for (int i = 0; i < delayed.size(); i++) {
      SentCalls calls = delayed.get(i).calls();
      for (int call = 1; call < calls.count(); call++) {
        delayedOf[calls.top(call)] = i + 1;
        receivedOf[calls.receiver(call)] = i + 1;
      }
    }
  }

  /** The calls in question are sent earlier. */
  StepReplay.Change with(WhatIf whatIf) {
    BitSet asked = asked(whatIf);
    boolean areLate = whatIf.kind() == WhatIf.Kind.SENT_AT_ONCE;
    return new StepReplay.Change() {
      @Override
      public long nanos(int span, long tookNanos) {
        return tookNanos;
      }

      @Override
      public int sentWith(int span) {
        int place = place(delayedOf, span);
        return place >= 0 ? delayed.get(place).calls().top(0) : StepGraph.NONE;
      }

      @Override
      public boolean isReceivedEarlier(int span) {
        return place(receivedOf, span) >= 0;
      }

      private int place(int[] places, int span) {
        int place = span < places.length ? places[span] - 1 : -1;
        return place >= 0 && asked.get(place) ? place : -1;
      }

      @Override
      public boolean isSentAtOnce(int span) {
        return areLate && sentWith(span) != StepGraph.NONE;
      }
    };
  }

  /** Whose last call was sent the longest after the first. */
  void evidence(WhatIf whatIf, int question, Replays found) {
    asked(whatIf).stream()
        .mapToObj(place -> delayed.get(place).calls())
        .forEach(
            calls ->
                found.evidence(
                    question,
                    new int[] {calls.call(calls.count() - 1)},
                    last -> calls.spreadNanos()));
  }

  /** In how many of the cases no other step was done with a worker meanwhile. */
  long undisturbed(WhatIf whatIf, WorkBeside beside) {
    return asked(whatIf).stream()
        .filter(place -> beside.isAbsent(spans, delayed.get(place).calls()))
        .count();
  }

  private BitSet asked(WhatIf whatIf) {
    boolean areLate = whatIf.kind() == WhatIf.Kind.SENT_AT_ONCE;
    BitSet asked = new BitSet();
    for (int i = 0; i < delayed.size(); i++) {
      SentCalls calls = delayed.get(i).calls();
      asked.set(
          i,
          delayed.get(i).areLate() == areLate
              && spans.name(calls.call(0)) == whatIf.name()
              && whatIf.processes().get(spans.process(calls.call(0)))
              && (areLate
                  ? FanOutSends.areMost(calls.workers(), whatIf.workers())
                  : calls.workers() == whatIf.workers()));
    }
    return asked;
  }
}
