package io.rollotel.agent.metrics;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.metrics.MeterBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerBuilder;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.internal.otlp.metrics.MetricsRequestMarshaler;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.log.AgentLog;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The meters of the agent's SDK: built on first request, so that tracing alone costs nothing. */
public final class AgentMeterProvider implements MeterProvider {

  private static final long PATIENCE_SECONDS = 10;

  private static final SpanContext TRIAL =
      SpanContext.create(
          "00000000000000000000000000000001",
          "0000000000000001",
          TraceFlags.getSampled(),
          TraceState.getDefault());

  private final Supplier<BackgroundMetricReader> reports;

  // Guarded by this.
  private @Nullable MeterProvider provider;

  // Not guarded: building holds the lock for seconds, and the end of the process must not wait for
  // it.
  private volatile @Nullable BackgroundMetricReader running;
  private volatile boolean ended;

  public AgentMeterProvider(Supplier<BackgroundMetricReader> reports) {
    this.reports = reports;
  }

  /**
   * An SDK with these meters.
   *
   * @param tracers hidden from the application, which must not shut them down
   */
  public OpenTelemetry with(
      TracerProvider tracers, LoggerProvider loggers, ContextPropagators propagators) {
    TracerProvider shown =
        new TracerProvider() {
          @Override
          public Tracer get(String scope) {
            return tracers.get(scope);
          }

          @Override
          public Tracer get(String scope, String version) {
            return tracers.get(scope, version);
          }

          @Override
          public TracerBuilder tracerBuilder(String scope) {
            return tracers.tracerBuilder(scope);
          }
        };
    return new OpenTelemetry() {
      @Override
      public TracerProvider getTracerProvider() {
        return shown;
      }

      @Override
      public MeterProvider getMeterProvider() {
        return AgentMeterProvider.this;
      }

      @Override
      public LoggerProvider getLogsBridge() {
        return loggers;
      }

      @Override
      public ContextPropagators getPropagators() {
        return propagators;
      }
    };
  }

  @Override
  public MeterBuilder meterBuilder(String scope) {
    return provider().meterBuilder(scope);
  }

  private synchronized MeterProvider provider() {
    MeterProvider known = provider;
    if (known == null) {
      known = ended ? MeterProvider.noop() : build();
      provider = known;
    }
    return known;
  }

  private MeterProvider build() {
    BackgroundMetricReader made = reports.get();
    if (made.isNone()) {
      return MeterProvider.noop();
    }
    if (ModuleLayer.boot().findModule("java.logging").isEmpty()) {
      AgentLog.warn(
          "metrics are off: this JVM lacks the module java.logging, which they need: add it with"
              + " --add-modules");
      return MeterProvider.noop();
    }
    try {
      await(AgentThreads.passing().submit(AgentMeterProvider::trial));
      SdkMeterProvider built =
          SdkMeterProvider.builder()
              .setExemplarFilter(made.exemplarFilter())
              .registerMetricReader(made)
              .build();
      made.start();
      running = made;
      if (ended) {
        made.close(System.nanoTime()); // the closing thread may have missed this one
      }
      return built;
    } catch (Exception | LinkageError e) {
      AgentLog.warn("metrics are off, this opentelemetry-api does not fit the agent's: " + e);
      return MeterProvider.noop();
    }
  }

  /** Waits on after an interrupt, which is meant for the application, and restores it. */
  private static void await(Future<?> trial) throws Exception {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          trial.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** As for spans: an incompatible API would fail in the application's own calls. */
  private static Void trial() throws Exception {
    BackgroundMetricReader.Once reader = new BackgroundMetricReader.Once();
    Context traced = Context.root().with(Span.wrap(TRIAL)); // for the exemplar
    try (SdkMeterProvider tried = SdkMeterProvider.builder().registerMetricReader(reader).build()) {
      Attributes attributes = Attributes.builder().put("trial", "trial").build();
      tried.get("trial").counterBuilder("trial").build().add(1, attributes);
      tried
          .get("trial")
          .histogramBuilder("trials")
          .setUnit("s")
          .build()
          .record(1, attributes, traced);
      MetricsRequestMarshaler.create(reader.collect()).writeBinaryTo(new ByteArrayOutputStream());
    }
    return null;
  }

  /** Delivers the pending metrics; those not delivered by the deadline go to the own file. */
  public void close(long deadlineNanos) {
    ended = true;
    BackgroundMetricReader reporting = running;
    if (reporting != null) {
      reporting.close(deadlineNanos);
    }
  }
}
