package io.rollotel.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import org.jspecify.annotations.Nullable;

/** The span of a step, current on the thread that started it until {@link #leave}. */
final class StepSpan {

  /** The known facts about a step at its end; no reward if the given one was not a number. */
  record Outcome(
      @Nullable Double reward,
      double cumulativeReward,
      boolean success,
      @Nullable String error,
      @Nullable String code,
      @Nullable String output) {}

  private static final AttributeKey<Double> REWARD = AttributeKey.doubleKey("rlm.reward");
  private static final AttributeKey<Double> CUMULATIVE_REWARD =
      AttributeKey.doubleKey("rlm.cumulative_reward");
  private static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("rlm.success");
  private static final AttributeKey<String> CODE = AttributeKey.stringKey("code");
  private static final AttributeKey<String> OUTPUT = AttributeKey.stringKey("output");

  /** The step whose context it is. */
  private static final ContextKey<StepSpan> STEP = ContextKey.named("roll-otel-step");

  private final Span span;
  private final Context before;
  private final Context context;
  private final Scope scope;
  private final String runId;
  private final RunSpans.@Nullable Instruments instruments;
  private volatile boolean left;

  @SuppressWarnings("MustBeClosedChecker") // leave closes it
  StepSpan(
      Span span,
      Context before,
      Context parent,
      String runId,
      RunSpans.@Nullable Instruments instruments) {
    this.span = span;
    this.before = before;
    this.runId = runId;
    this.instruments = instruments;
    context = parent.with(span).with(STEP, this);
    scope = context.makeCurrent();
  }

  /** The current context of this thread, without steps that were closed out of order. */
  static Context settled() {
    Context current = Context.current();
    StepSpan step = current.get(STEP);
    while (step != null && step.left && step.context == current) {
      current = step.before;
      step = current.get(STEP);
    }
    return current;
  }

  /** Takes the step from its thread, which calls this. */
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  void leave() {
    left = true;
    scope.close();
    Context settled = settled();
    if (settled != Context.current()) {
      settled.makeCurrent();
    }
  }

  /** Makes the step's thread drop it with its next step, because another thread cannot. */
  void abandon() {
    left = true;
  }

  void end(Outcome outcome) {
    if (outcome.reward() != null) {
      span.setAttribute(REWARD, outcome.reward());
    }
    span.setAttribute(CUMULATIVE_REWARD, outcome.cumulativeReward());
    span.setAttribute(SUCCESS, outcome.success());
    event("code_execution", CODE, outcome.code());
    event("output", OUTPUT, outcome.output());
    String error = outcome.error();
    if (outcome.success()) {
      span.setStatus(StatusCode.OK);
    } else if (error != null) {
      span.setStatus(StatusCode.ERROR, Excerpt.of(error, RunSpan.LONGEST_ERROR));
    }
    span.end();
    if (instruments != null) {
      instruments.step(runId, outcome.reward());
    }
  }

  private void event(String name, AttributeKey<String> key, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      span.addEvent(name, Attributes.of(key, Excerpt.of(text, RunSpan.LONGEST_CONTENT)));
    }
  }
}
