package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.Arrays;

/**
 * How many traces each one represents. If two traces were joined, each was thinned out separately,
 * so the spans of both keep their own weight. Takes no memory while each trace represents only
 * itself.
 */
final class TraceWeights implements Serializable {

  /** By trace, as thinned out; 0 for a trace that stands only for itself. */
  private double[] weights = {};

  /** For moved spans, the trace that they were thinned out with, plus one; otherwise 0. */
  private int[] before = {};

  /** If spans disagree (one may have been recovered without its state), the largest weight. */
  void see(int trace, double weight) {
    if (trace >= weights.length) {
      weights = Arrays.copyOf(weights, Math.max(1024, 2 * trace));
    }
    weights[trace] = Math.max(weights[trace], weight);
  }

  /** Notes that a span was moved to another trace; the first of several moves counts. */
  void moved(int span, int fromTrace) {
    if (span >= before.length) {
      before = Arrays.copyOf(before, Math.max(1024, 2 * span));
    }
    if (before[span] == 0) {
      before[span] = fromTrace + 1;
    }
  }

  /** The trace that the span was thinned out with. */
  int thinned(int span, int trace) {
    return span < before.length && before[span] != 0 ? before[span] - 1 : trace;
  }

  /** Whether any trace represents others. */
  boolean isWeighted() {
    return weights.length != 0;
  }

  double of(int span, int trace) {
    int own = thinned(span, trace);
    return own < weights.length ? Math.max(1, weights[own]) : 1;
  }
}
