package io.rollotel.traces.analysis;

import java.util.stream.LongStream;

/** How long the steps of a run took, to be compared with those of other runs. */
public final class RunSteps {

  /** Of a run without steps. */
  public static final RunSteps NONE = new RunSteps(0, new long[0]);

  /** With three steps in each of two runs, the test finds no difference. */
  private static final int LEAST = 4;

  private final long medianNanos;
  private final long[] wallNanos;

  private RunSteps(long medianNanos, long[] wallNanos) {
    this.medianNanos = medianNanos;
    this.wallNanos = wallNanos;
  }

  /**
   * Those of some steps.
   *
   * @param wallNanos of each step
   */
  public static RunSteps of(long medianNanos, LongStream wallNanos) {
    return new RunSteps(medianNanos, wallNanos.toArray());
  }

  /** 0 if there are no steps. */
  public long medianNanos() {
    return medianNanos;
  }

  /** Whether there is no step that took any time. */
  public boolean isEmpty() {
    return medianNanos == 0;
  }

  /** Whether both runs have enough steps to tell a difference from chance. */
  public boolean canTell(RunSteps other) {
    return Math.min(wallNanos.length, other.wallNanos.length) >= LEAST;
  }

  /** Whether these steps took longer by more than chance explains, as in a {@link Comparison}. */
  public boolean areLongerThan(RunSteps other) {
    return medianNanos > other.medianNanos
        && canTell(other)
        && MannWhitney.pValue(other.wallNanos, wallNanos) <= Comparison.SIGNIFICANCE;
  }
}
