package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.RunDates;
import io.rollotel.traces.spans.RunJoins;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.VirtualTimes;
import java.io.Serializable;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * Prepares the spans of a part for an analysis, using facts about all parts. Any thread.
 *
 * @param numbers no spans, but the numbers of all names, processes and runs
 * @param joins the receivers' traces that belong to their senders' traces
 * @param notEnded the spans that have not ended
 */
record PartPreparation(
    Spans numbers,
    CallJoins joins,
    List<Span> notEnded,
    RunJoins runJoins,
    RunDates dates,
    ClockCorrection clocks)
    implements Serializable {

  /**
   * Gives each span its trace and its run.
   *
   * @return the other ids of each run's spans
   */
  Map<Integer, BitSet> join(Spans spans) {
    spans.joinCalls(joins);
    return runJoins.assign(spans);
  }

  /** With rows for missing spans, and with times as recorded. */
  void complete(Spans spans) {
    join(spans);
    dates.undateIn(spans);
    LostParents.replace(spans, notEnded);
  }

  /** Ready for an analysis. */
  void prepare(Spans spans) {
    complete(spans);
    if (!clocks.isOneHost()) {
      clocks.correct(spans, SpanTree.rowsAbove(spans));
    }
    VirtualTimes.stretch(spans);
    if (!spans.hasNumbersOf(numbers)) {
      throw new IllegalStateException("a part has names or processes that were not there before");
    }
  }
}
