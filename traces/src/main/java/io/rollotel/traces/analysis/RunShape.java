package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.BitSet;

/**
 * Facts about all traces of a run that the analysis of each trace needs: what counts as a step, and
 * which names have executions. The shapes of parts add up to that of the whole.
 */
public final class RunShape implements Serializable {

  private boolean hasSteps;
  private boolean hasVirtualSteps;
  private boolean isWeighted;
  private final BitSet executedNames = new BitSet();

  /** Of no traces. */
  public RunShape() {}

  /** Reads all rows of a run, which must have their final times. */
  public static RunShape of(Spans spans, int run, String stepName) {
    RunShape shape = new RunShape();
    int name = spans.findName(stepName);
    boolean isAnyWeighted = spans.isWeighted();
    for (int span : Rows.of(spans, run)) {
      shape.isWeighted |= isAnyWeighted && spans.weight(span) != 1;
      boolean isDispatch = spans.isDispatch(span);
      if (!spans.isVirtual(span) && !isDispatch) {
        shape.executedNames.set(spans.name(span));
      }
      if (spans.name(span) == name && !isDispatch && spans.isTimed(span)) {
        shape.hasSteps |= !spans.isVirtual(span);
        shape.hasVirtualSteps |= spans.isVirtual(span);
      }
    }
    return shape;
  }

  /** Adds the shape of other traces of the run, whose names have the same numbers. */
  public void add(RunShape part) {
    hasSteps |= part.hasSteps;
    hasVirtualSteps |= part.hasVirtualSteps;
    isWeighted |= part.isWeighted;
    executedNames.or(part.executedNames);
  }

  /** Whether the run has no steps, so that the roots of its traces count as steps. */
  boolean areTraces() {
    return !hasSteps && !hasVirtualSteps;
  }

  /**
   * Whether steps count that are not in the files, but reconstructed from the spans below them. An
   * open one is shorter than it will be, so it counts only if there are no others.
   */
  boolean isVirtualToo() {
    return !hasSteps;
  }

  /** Whether any trace represents others. */
  boolean isWeighted() {
    return isWeighted;
  }

  /** Whether any span of that name is not a sender's. */
  boolean isExecuted(int name) {
    return executedNames.get(name);
  }
}
