package io.rollotel.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * A step of a run. Its span is current on the thread that started it until that thread closes it:
 * {@code try (RunStep step = run.step(1, "search")) { … }}. What the other methods set is recorded
 * when the step is closed; they may be called from any thread. No method throws.
 */
public final class RunStep implements AutoCloseable {

  private final RunTelemetry owner;
  private final Run run;
  private final int number;
  private final @Nullable StepSpan span;
  private final Thread thread = Thread.currentThread();

  // Guarded by this.
  private boolean ended;
  private boolean left;
  private double reward;
  private boolean isRewardKnown;
  private boolean isRewardLost;
  private @Nullable Double cumulativeReward;
  private boolean success;
  private @Nullable String error;
  private @Nullable String code;
  private @Nullable String output;

  RunStep(RunTelemetry owner, Run run, int number, @Nullable StepSpan span) {
    this.owner = owner;
    this.run = run;
    this.number = number;
    this.span = span;
  }

  /** The reward of the step; 0 if this is not called. */
  public synchronized RunStep reward(double earned) {
    if (isOpen()) {
      if (isNumber(earned)) {
        reward = earned;
        isRewardKnown = true;
      } else {
        isRewardLost = true;
      }
    }
    return this;
  }

  /**
   * The reward of the run up to and including this step; the sum of the steps' rewards if this is
   * not called.
   */
  public synchronized RunStep cumulativeReward(double earned) {
    if (isOpen() && isNumber(earned)) {
      cumulativeReward = earned;
    }
    return this;
  }

  /** The code that the step ran. The first 1,000 characters are kept. */
  public synchronized RunStep code(@Nullable String text) {
    if (isOpen()) {
      code = owner.contentOf(text);
    }
    return this;
  }

  /** The output of the code. The first 1,000 characters are kept. */
  public synchronized RunStep output(@Nullable String text) {
    if (isOpen()) {
      output = owner.contentOf(text);
    }
    return this;
  }

  /** Marks the step as successful. */
  public synchronized RunStep success() {
    if (isOpen()) {
      success = true;
    }
    return this;
  }

  /** Marks the step as failed. The first 200 characters of the reason are kept. */
  public synchronized RunStep error(@Nullable String reason) {
    if (isOpen()) {
      success = false;
      error = reason == null ? "" : reason;
    }
    return this;
  }

  private boolean isOpen() {
    if (ended && span != null) {
      owner.misuse().count(MisuseCounts.Kind.STEP_AFTER_END);
    }
    return !ended;
  }

  private boolean isNumber(double earned) {
    if (Double.isFinite(earned)) {
      return true;
    }
    owner.misuse().count(MisuseCounts.Kind.NOT_A_NUMBER);
    return false;
  }

  /** Ends the step. Further calls do nothing. */
  @Override
  public void close() {
    StepSpan known = span;
    if (known == null) {
      return;
    }
    synchronized (this) {
      if (left) {
        return;
      }
      left = true;
    }
    if (thread != Thread.currentThread()) {
      owner.misuse().count(MisuseCounts.Kind.OTHER_THREAD);
    }
    leave(known);
    endSpan();
  }

  int number() {
    return number;
  }

  /** Ends a step that its owner left open. */
  void abandon() {
    StepSpan known = span;
    if (known != null) {
      leave(known);
      endSpan();
    }
  }

  private void leave(StepSpan known) {
    if (thread == Thread.currentThread()) {
      owner.guarded(known::leave);
    } else {
      known.abandon();
    }
  }

  private void endSpan() {
    StepSpan known = span;
    StepSpan.Outcome outcome;
    synchronized (this) {
      if (ended || known == null) {
        return;
      }
      ended = true;
      double total = run.stepEnded(this, reward, cumulativeReward);
      outcome =
          new StepSpan.Outcome(
              isRewardLost && !isRewardKnown ? null : (Double) reward,
              total,
              success,
              error,
              code,
              output);
    }
    owner.guarded(() -> known.end(outcome));
  }
}
