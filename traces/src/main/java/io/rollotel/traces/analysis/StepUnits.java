package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * Which spans of a run are its steps, and in which of them every span is: the outermost spans of
 * the step's name, or, where a run has none, the roots of its traces.
 */
final class StepUnits {

  private final Spans spans;
  private final SpanTree tree;
  private final RunShape shape;

  /** For each span the step that it is in, or -1 less its trace. */
  private final int[] units;

  /**
   * Finds the steps.
   *
   * @param shape that of the whole run, of which these spans may be a part
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

  private boolean isRoot(int span) {
    return spans.isVirtual(span) ? spans.isVirtualRoot(span) : tree.parent(span) == SpanTree.NONE;
  }

  /** Whether steps count that are not in the files, but reconstructed from the spans below them. */
  boolean isVirtualToo() {
    return shape.isVirtualToo();
  }

  /** Whether the run has no steps of its own, so that its traces' roots are taken for them. */
  boolean areTraces() {
    return shape.areTraces();
  }

  /** The step that a span is in, or is; a negative number of its trace where it is in none. */
  int of(int span) {
    return units[span];
  }

  boolean isStep(int span) {
    return units[span] == span;
  }
}
