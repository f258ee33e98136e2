package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Rows;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * Facts about all traces of a run that the analysis of each trace needs: what counts as a step,
 * which names have executions, and when processes began to work. The shapes of parts add up to that
 * of the whole.
 */
public final class RunShape implements Serializable {

  private boolean hasSteps;
  private boolean hasVirtualSteps;
  private boolean isWeighted;
  private final BitSet executedNames = new BitSet();

  /**
   * By process, one number: the start of its first span. Sparse, since thousands of runs may each
   * have processes of their own.
   */
  private final Map<Integer, long[]> firstStarts = new HashMap<>();

  /** By process, the start of its first step and the end of its last. */
  private final Map<Integer, long[]> stepExtents = new HashMap<>();

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
        shape.began(spans, span);
      }
      if (spans.name(span) == name && !isDispatch && spans.isTimed(span)) {
        shape.hasSteps |= !spans.isVirtual(span);
        shape.hasVirtualSteps |= spans.isVirtual(span);
        shape.addSteps(spans.process(span), spans.start(span), spans.end(span));
      }
    }
    return shape;
  }

  private void addSteps(int process, long start, long end) {
    long[] extent =
        stepExtents.computeIfAbsent(process, none -> new long[] {Long.MAX_VALUE, Long.MIN_VALUE});
    extent[0] = Math.min(extent[0], start);
    extent[1] = Math.max(extent[1], end);
  }

  private void began(Spans spans, int span) {
    if (spans.isTimed(span)) {
      began(spans.process(span), spans.start(span));
    }
  }

  private void began(int process, long start) {
    long[] first = firstStarts.computeIfAbsent(process, none -> new long[] {Long.MAX_VALUE});
    first[0] = Math.min(first[0], start);
  }

  /** Adds the shape of other traces of the run, whose names and processes have the same numbers. */
  public void add(RunShape part) {
    hasSteps |= part.hasSteps;
    hasVirtualSteps |= part.hasVirtualSteps;
    isWeighted |= part.isWeighted;
    part.stepExtents.forEach((process, extent) -> addSteps(process, extent[0], extent[1]));
    executedNames.or(part.executedNames);
    part.firstStarts.forEach((process, first) -> began(process, first[0]));
  }

  /**
   * Corrects the times for the clocks of hosts.
   *
   * @param shiftNanos by process, how much its clock is ahead
   */
  void setBack(IntToLongFunction shiftNanos) {
    firstStarts.forEach((process, first) -> first[0] -= shiftNanos.applyAsLong(process));
    stepExtents.forEach(
        (process, extent) -> {
          extent[0] -= shiftNanos.applyAsLong(process);
          extent[1] -= shiftNanos.applyAsLong(process);
        });
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

  /** Whether something ran between the first start of a step and the last end. */
  boolean isBesideSteps(long start, long end) {
    long[] extent = extent();
    return start < extent[1] && end > extent[0];
  }

  /** The first start of a step and the last end. */
  long[] extent() {
    long[] all = {Long.MAX_VALUE, Long.MIN_VALUE};
    for (long[] extent : stepExtents.values()) {
      all[0] = Math.min(all[0], extent[0]);
      all[1] = Math.max(all[1], extent[1]);
    }
    return all;
  }

  /** Whether any trace represents others. */
  boolean isWeighted() {
    return isWeighted;
  }

  /**
   * How much of a time passed before the process began its first span. Until then it was starting,
   * so calls waited for that.
   */
  long startingNanos(int process, long fromEpochNanos, long toEpochNanos) {
    long[] first = firstStarts.get(process);
    long firstStart = first == null ? toEpochNanos : first[0];
    return Math.max(0, Math.min(toEpochNanos, firstStart) - fromEpochNanos);
  }

  /** Whether any span of that name is not a sender's. */
  boolean isExecuted(int name) {
    return executedNames.get(name);
  }
}
