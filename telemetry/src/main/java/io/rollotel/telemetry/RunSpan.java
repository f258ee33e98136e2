package io.rollotel.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.rollotel.telemetry.internal.CurrentSpan;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The span of a run. */
final class RunSpan {

  private static final AttributeKey<Boolean> COMPLETED = AttributeKey.booleanKey("rlm.completed");
  private static final AttributeKey<Long> TOTAL_STEPS = AttributeKey.longKey("rlm.total_steps");
  private static final AttributeKey<Double> TOTAL_REWARD =
      AttributeKey.doubleKey("rlm.total_reward");
  private static final AttributeKey<String> RUN_PATH = AttributeKey.stringKey("rlm.run_path");
  private static final AttributeKey<String> ANSWER = AttributeKey.stringKey("answer");
  private static final AttributeKey<Long> STEP = AttributeKey.longKey("rlm.step");
  private static final AttributeKey<String> ACTION_TYPE = AttributeKey.stringKey("rlm.action_type");

  static final int LONGEST_CONTENT = 1_000;
  static final int LONGEST_ERROR = 200;

  private final Span span;
  private final Tracer tracer;
  private final RunSpans.@Nullable Instruments instruments;
  private final String environment;
  private final long startNanos = System.nanoTime();

  RunSpan(
      Span span, Tracer tracer, RunSpans.@Nullable Instruments instruments, String environment) {
    this.span = span;
    this.tracer = tracer;
    this.instruments = instruments;
    this.environment = environment;
  }

  /** Empty if no SDK takes spans, since zeros are no trace. */
  Optional<String> traceId() {
    return span.getSpanContext().isValid()
        ? Optional.of(span.getSpanContext().getTraceId())
        : Optional.empty();
  }

  /** The ids of its span; null if no SDK takes spans. */
  TraceCorrelation.@Nullable Ids ids() {
    String[] ids = CurrentSpan.ids(Context.root().with(span));
    return ids == null ? null : new TraceCorrelation.Ids(ids[0], ids[1], ids[2]);
  }

  /** Makes the run current on this thread. */
  Activation makeCurrent() {
    Context before = Activation.settled();
    return new Activation(before, before.with(span));
  }

  /** Starts a step below this run, in the current context of this thread. */
  StepSpan startStep(String runId, int step, String actionType) {
    Context before = Activation.settled();
    Context parent = before.with(span);
    Span started =
        tracer
            .spanBuilder("rlm.step")
            .setParent(parent)
            .setAttribute(RunSpans.RUN_ID, runId)
            .setAttribute(STEP, (long) step)
            .setAttribute(ACTION_TYPE, Excerpt.of(actionType, RunSpans.LONGEST_NAME))
            .startSpan();
    return new StepSpan(started, before, parent, runId, instruments);
  }

  void count() {
    if (instruments != null) {
      instruments.run(environment);
    }
  }

  void end(
      boolean completed,
      long totalSteps,
      double totalReward,
      @Nullable String runPath,
      @Nullable String finalAnswer,
      @Nullable String error) {
    span.setAttribute(COMPLETED, completed);
    span.setAttribute(TOTAL_STEPS, totalSteps);
    span.setAttribute(TOTAL_REWARD, totalReward);
    if (runPath != null) {
      span.setAttribute(RUN_PATH, Excerpt.of(runPath, LONGEST_CONTENT));
    }
    if (finalAnswer != null && !finalAnswer.isEmpty()) {
      span.addEvent(
          "final_answer", Attributes.of(ANSWER, Excerpt.of(finalAnswer, LONGEST_CONTENT)));
    }
    if (completed) {
      span.setStatus(StatusCode.OK);
    } else if (error != null) {
      span.setStatus(StatusCode.ERROR, Excerpt.of(error, LONGEST_ERROR));
    }
    span.end();
    if (instruments != null) {
      instruments.ended((System.nanoTime() - startNanos) / 1e9, completed);
    }
  }
}
