package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.List;

/** How much earlier the steps of a run would have ended if some of its spans had been different. */
final class Savings {

  private final Spans spans;
  private final Steps steps;
  private final StepGraph graph;
  private final StepReplay replay;

  /** The spans of all steps, step by step, and where each step's spans begin. */
  private final int[] members;

  private final int[] starts;

  /**
   * Savings of a run.
   *
   * @param rows the run's spans, and the rows for missing ones
   */
  Savings(Spans spans, SpanTree tree, SpanTree waits, StepUnits units, Steps steps, int[] rows) {
    this.spans = spans;
    this.steps = steps;
    this.graph = new StepGraph(spans, tree, waits, units, rows);
    this.replay = new StepReplay(spans, graph);
    int count = steps.all().size();
    this.starts = new int[count + 1];
    int[] number = new int[count == 0 ? 0 : spans.size()];
    Arrays.fill(number, -1);
    for (int i = 0; i < count; i++) {
      number[steps.all().get(i).span()] = i;
    }
    for (int span : rows) {
      int step = units.of(span);
      if (step >= 0) {
        starts[number[step] + 1]++;
      }
    }
    Arrays.parallelPrefix(starts, Integer::sum);
    this.members = new int[starts[count]];
    int[] next = starts.clone();
    for (int span : rows) {
      int step = units.of(span);
      if (step >= 0) {
        members[next[number[step]]++] = span;
      }
    }
  }

  /** Whether a call was sent from below a span. */
  boolean isOpened(int span) {
    return graph.isOpened(span);
  }

  /** The saving of each change over all steps, weighted by the number that each step represents. */
  long[] nanos(List<StepReplay.Change> changes) {
    long[] saved = new long[changes.size()];
    if (saved.length == 0) {
      return saved;
    }
    for (int i = 0; i + 1 < starts.length; i++) {
      Steps.Step step = steps.all().get(i);
      graph.load(step.span(), Arrays.copyOfRange(members, starts[i], starts[i + 1]));
      for (int change = 0; change < saved.length; change++) {
        long nanos = step.wallNanos() - replay.nanos(step.span(), changes.get(change));
        saved[change] += NameTotals.times(spans.weight(step.span()), nanos);
      }
    }
    return saved;
  }
}
