package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * The steps of a run, and the step that each span belongs to. Steps are the outermost spans with
 * the step's name or, if a run has none, the roots of its traces.
 */
final class StepUnits {

  private final Spans spans;
  private final SpanTree tree;
  private final RunShape shape;

  /** The step of each span, or {@code -1 - trace}. */
  private final int[] units;

  /**
   * Finds the steps.
   *
   * @param shape the shape of the whole run; these spans may be a part of it
   */
  StepUnits(Spans spans, SpanTree tree, RunShape shape, int run, String stepName) {
    this.spans = spans;
    this.tree = tree;
    this.shape = shape;
    this.units = units(shape.areTraces() ? -1 : spans.findName(stepName), run);
  }

  private int[] units(int stepName, int run) {
    int[] found = new int[spans.size()];
    int[] waiting = new int[64];
    for (int top : tree.order()) {
      if (!tree.isTop(top)) {
        continue;
      }
      int count = 0;
      waiting[count++] = top;
      while (count > 0) {
        int span = waiting[--count];
        int above = tree.isTop(span) ? -1 - spans.trace(span) : found[tree.above(span)];
        found[span] = above < 0 && isStep(span, stepName, run) ? span : above;
        int children = tree.childCount(span);
        if (count + children > waiting.length) {
          waiting = Arrays.copyOf(waiting, Math.max(2 * waiting.length, count + children));
        }
        for (int i = 0; i < children; i++) {
          waiting[count++] = tree.child(span, i);
        }
      }
    }
    return found;
  }

  private boolean isStep(int span, int stepName, int run) {
    return spans.run(span) == run
        && spans.isTimed(span)
        && (shape.isVirtualToo() || !spans.isVirtual(span))
        && (shape.areTraces() ? isRoot(span) : isNamed(span, stepName));
  }

  /** The sender's span of a call ends when the work begins: its execution is the step. */
  private boolean isNamed(int span, int stepName) {
    return spans.name(span) == stepName && !spans.isDispatch(span);
  }

  /** The same applies to a trace that the sender's span of a call begins. */
  private boolean isRoot(int span) {
    if (spans.isVirtual(span)) {
      return spans.isVirtualRoot(span);
    }
    int parent = tree.parent(span);
    return parent == SpanTree.NONE ? !isExecuted(span) : isRootsExecution(parent, span);
  }

  private boolean isExecuted(int sent) {
    for (int i = 0; spans.isDispatch(sent) && i < tree.childCount(sent); i++) {
      if (isExecution(sent, tree.child(sent, i))) {
        return true;
      }
    }
    return false;
  }

  private boolean isRootsExecution(int parent, int span) {
    return parent >= 0
        && spans.isDispatch(parent)
        && tree.parent(parent) == SpanTree.NONE
        && isExecution(parent, span);
  }

  private boolean isExecution(int sent, int span) {
    return spans.name(span) == spans.name(sent)
        && !spans.isDispatch(span)
        && !spans.isVirtual(span)
        && spans.isTimed(span);
  }

  /** Whether the run has no steps, so that the roots of its traces count as steps. */
  boolean areTraces() {
    return shape.areTraces();
  }

  /** The step that a span is in, or is; a negative number of its trace if it is in none. */
  int of(int span) {
    return units[span];
  }

  boolean isStep(int span) {
    return units[span] == span;
  }
}
