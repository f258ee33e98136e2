package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.BitSet;
import java.util.List;

/** Calls that might have been sent with the first of them ({@link FanOutSends}). */
final class EarlierSends {

  private final Spans spans;
  private final List<FanOutSends.Held> held;

  /** For each span right below a sender, one plus the place of its calls; 0 for none. */
  private final int[] heldOf;

  EarlierSends(Spans spans, List<FanOutSends.Held> held) {
    this.spans = spans;
    this.held = held;
    this.heldOf = new int[held.isEmpty() ? 0 : spans.size()];
    for (int i = 0; i < held.size(); i++) {
      SentCalls calls = held.get(i).calls();
      for (int call = 1; call < calls.count(); call++) {
        heldOf[calls.top(call)] = i + 1;
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
        int place = span < heldOf.length ? heldOf[span] - 1 : -1;
        return place >= 0 && asked.get(place) ? held.get(place).calls().top(0) : StepGraph.NONE;
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
        .mapToObj(place -> held.get(place).calls())
        .forEach(
            calls ->
                found.evidence(
                    question,
                    new int[] {calls.call(calls.count() - 1)},
                    last -> calls.spreadNanos()));
  }

  private BitSet asked(WhatIf whatIf) {
    boolean areLate = whatIf.kind() == WhatIf.Kind.SENT_AT_ONCE;
    BitSet asked = new BitSet();
    for (int i = 0; i < held.size(); i++) {
      SentCalls calls = held.get(i).calls();
      asked.set(
          i,
          held.get(i).areLate() == areLate
              && spans.name(calls.call(0)) == whatIf.name()
              && whatIf.processes().get(spans.process(calls.call(0)))
              && (areLate
                  ? FanOutSends.areMost(calls.processes(), whatIf.processes())
                  : calls.count() == whatIf.processes().cardinality()));
    }
    return asked;
  }
}
