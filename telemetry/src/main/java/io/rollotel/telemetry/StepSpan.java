package io.rollotel.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
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

  private final Span span;
  private final Activation activation;
  private final String runId;
  private final RunSpans.@Nullable Instruments instruments;

  StepSpan(
      Span span,
      Context before,
      Context parent,
      String runId,
      RunSpans.@Nullable Instruments instruments) {
    this.span = span;
    this.runId = runId;
    this.instruments = instruments;
    activation = new Activation(before, parent.with(span));
  }

  /** Takes the step from its thread, which calls this. */
  void leave() {
    activation.leave();
  }

  /** Makes the step's thread drop it with its next step, because another thread cannot. */
  void abandon() {
    activation.abandon();
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
