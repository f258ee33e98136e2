package io.rollotel.telemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * Starts the spans of runs, and holds the instruments of their metrics. Only this class, {@link
 * RunSpan}, {@link StepSpan} and {@link Activation} use OpenTelemetry: if its API is missing, none
 * of them is loaded.
 */
final class RunSpans {

  /** The scope of spans and metrics. */
  private static final String SCOPE = "rlm-code";

  static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("rlm.run_id");
  private static final AttributeKey<String> TASK = AttributeKey.stringKey("rlm.task");
  private static final AttributeKey<String> ENVIRONMENT = AttributeKey.stringKey("rlm.environment");
  private static final AttributeKey<Long> MAX_STEPS = AttributeKey.longKey("rlm.max_steps");
  private static final AttributeKey<String> MODEL = AttributeKey.stringKey("rlm.model");

  private static final int LONGEST_TASK = 500;

  /** Of an environment, a model and an action: names, which metrics and reports keep. */
  static final int LONGEST_NAME = 255;

  private final boolean metricsEnabled;
  private volatile @Nullable Instruments instruments;

  private RunSpans(boolean metricsEnabled) {
    this.metricsEnabled = metricsEnabled;
  }

  /** Throws a LinkageError if the API is missing. */
  static RunSpans create(boolean metricsEnabled) {
    Context.root();
    return new RunSpans(metricsEnabled);
  }

  /** Whether an SDK takes spans. */
  boolean isAvailable() {
    return GlobalLookup.get().getTracerProvider() != TracerProvider.noop();
  }

  RunSpan start(
      String runId, @Nullable String task, String givenEnvironment, int maxSteps, String model) {
    String environment = Excerpt.of(givenEnvironment, LONGEST_NAME);
    // Looked up for each run, because the application may set its SDK after the first one.
    OpenTelemetry openTelemetry = GlobalLookup.get();
    Context parent = Activation.settled();
    Tracer tracer = tracer(openTelemetry, parent);
    SpanBuilder builder =
        tracer
            .spanBuilder("rlm.run")
            .setParent(parent)
            .setAttribute(RUN_ID, runId)
            .setAttribute(ENVIRONMENT, environment)
            .setAttribute(MAX_STEPS, (long) maxSteps)
            .setAttribute(MODEL, Excerpt.of(model, LONGEST_NAME));
    if (task != null) {
      builder.setAttribute(TASK, Excerpt.of(task, LONGEST_TASK));
    }
    // The first ones take a few tenths of a second to build, which is not the run's time.
    Instruments known = instruments(openTelemetry);
    Span span = builder.startSpan();
    return new RunSpan(span, tracer, known, environment);
  }

  private static Tracer tracer(OpenTelemetry openTelemetry, Context parent) {
    return TraceContext.isSuppressed(parent)
        ? TracerProvider.noop().get(SCOPE)
        : openTelemetry.getTracer(SCOPE);
  }

  private @Nullable Instruments instruments(OpenTelemetry openTelemetry) {
    if (!metricsEnabled) {
      return null;
    }
    MeterProvider provider = openTelemetry.getMeterProvider();
    Instruments known = instruments;
    if (known == null || known.provider != provider) {
      known = new Instruments(provider);
      instruments = known;
    }
    return known;
  }

  /** The four metrics. */
  static final class Instruments {

    private static final AttributeKey<String> BY_ENVIRONMENT =
        AttributeKey.stringKey("environment");
    private static final AttributeKey<String> BY_RUN = AttributeKey.stringKey("run_id");
    private static final AttributeKey<String> BY_COMPLETED = AttributeKey.stringKey("completed");

    private final MeterProvider provider;
    private final LongCounter runs;
    private final LongCounter steps;
    private final DoubleHistogram reward;
    private final DoubleHistogram durationSeconds;

    Instruments(MeterProvider provider) {
      this.provider = provider;
      Meter meter = provider.get(SCOPE);
      runs = meter.counterBuilder("rlm.runs").setUnit("1").setDescription("Runs started").build();
      steps = meter.counterBuilder("rlm.steps").setUnit("1").setDescription("Steps taken").build();
      reward =
          meter
              .histogramBuilder("rlm.reward")
              .setUnit("1")
              .setDescription("Reward of steps")
              .build();
      durationSeconds =
          meter
              .histogramBuilder("rlm.run_duration")
              .setUnit("s")
              .setDescription("Duration of runs")
              .build();
    }

    void run(String environment) {
      runs.add(1, Attributes.of(BY_ENVIRONMENT, environment));
    }

    void step(String runId, @Nullable Double earned) {
      Attributes byRun = Attributes.of(BY_RUN, runId);
      steps.add(1, byRun);
      if (earned != null && earned >= 0) { // a histogram accepts no other value
        reward.record(earned, byRun);
      }
    }

    /** Booleans as Python writes them, so that runs of both languages are one series. */
    void ended(double seconds, boolean completed) {
      durationSeconds.record(seconds, Attributes.of(BY_COMPLETED, completed ? "True" : "False"));
    }
  }
}
