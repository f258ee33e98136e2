package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import org.jspecify.annotations.Nullable;

/** Traces of a run that are in memory, as trees and as what counts in them. */
final class RunTraces {
  final SpanTree tree;

  /** As built by {@link WaitTree}. */
  final SpanTree waits;

  final StepUnits units;
  final CallPairs pairs;

  /** The members, and the rows for missing spans above them. */
  final int[] rows;

  /** The run's spans: by trace, and in each by start. */
  final int[] members;

  /** Whether these are all traces of the run. */
  final boolean isWhole;

  /** If they are not all: how the path of the run goes through them, if there is one. */
  final @Nullable RunVisits visits;

  /** That of the whole run. */
  final RunShape shape;

  private final Spans spans;

  RunTraces(
      Spans spans,
      SpanTree tree,
      int run,
      String stepName,
      RunShape shape,
      boolean isWhole,
      @Nullable RunVisits visits) {
    this.spans = spans;
    this.shape = shape;
    this.tree = tree;
    this.rows = Rows.where(span -> spans.run(span) == run, tree.order());
    this.members = Rows.where(span -> !spans.isVirtual(span), rows);
    this.units = new StepUnits(spans, tree, shape, run, stepName);
    this.waits = WaitTree.of(spans, tree, units);
    this.pairs = new CallPairs(spans, tree, shape);
    this.isWhole = isWhole;
    this.visits = visits;
  }

  CriticalPath path() {
    return new CriticalPath(spans, tree, waits);
  }

  /**
   * The roots that count as steps, by trace. Not those of calls on Ray, whose work is in their
   * executions.
   */
  int[] begun() {
    return shape.areTraces()
        ? Rows.where(root -> units.isStep(root) && !pairs.isDispatch(root), members)
        : new int[0];
  }

  /** The steps, by trace. */
  int[] steps() {
    return Rows.where(units::isStep, rows);
  }

  /**
   * The shares of the critical paths.
   *
   * @param steps these steps
   */
  PathShares pathShares(Steps steps) {
    return visits != null || (isWhole && steps.hasPathOfRun())
        ? PathShares.ofRun(spans, waits, shape, sink -> followRun(steps, sink))
        : PathShares.ofSteps(spans, waits, shape, path(), steps);
  }

  void followRun(Steps steps, CriticalPath.Sink sink) {
    if (visits != null) {
      visits.follow(spans, steps(), path(), sink);
    } else {
      int[] all = steps.all().stream().mapToInt(Steps.Step::span).toArray();
      new RunPath(spans, waits, path(), all)
          .follow(sink, (step, isWithin, momentNanos, untilNanos) -> {});
    }
  }
}
