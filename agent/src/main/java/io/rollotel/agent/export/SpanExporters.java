package io.rollotel.agent.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.traces.ConfigurableSpanExporterProvider;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The exporters that {@link FallbackExporter} delivers to. */
public final class SpanExporters {

  private static final String OTLP = "otlp";

  private SpanExporters() {}

  /** To the collector of this run. */
  static SpanExporter ofRun(Rendezvous.Collector collector) {
    return new OtlpSpanExporter(
        OtlpEndpoint.ofRun(collector, Signal.TRACES), none -> {}); // it takes all or nothing
  }

  /**
   * By the user's OTEL_* settings; exporters that cannot be built are reported.
   *
   * @param names those in OTEL_TRACES_EXPORTER, none for otlp
   * @param onRejected receives the spans that an endpoint rejects although it accepts their request
   */
  static List<SpanExporter> ofUser(
      List<String> names,
      ConfigProperties config,
      SpokenProtocols protocols,
      Consumer<PartialSuccess> onRejected) {
    List<SpanExporter> all = new ArrayList<>();
    List<String> unknown = new ArrayList<>(names.isEmpty() ? List.of(OTLP) : names);
    unknown.remove("none");
    if (unknown.remove(OTLP)) {
      try {
        all.add(
            new OtlpSpanExporter(
                OtlpEndpoint.ofUser(config, Signal.TRACES, protocols), onRejected));
      } catch (IllegalArgumentException e) {
        AgentLog.warnOnce("the exporter otlp cannot be built: " + e.getMessage());
      } catch (IOException | RuntimeException e) {
        AgentLog.warnOnce("the exporter otlp cannot be built: " + e);
      }
    }
    if (unknown.isEmpty()) {
      return all;
    }
    for (ConfigurableSpanExporterProvider provider :
        ServiceLoader.load(
            ConfigurableSpanExporterProvider.class, SpanExporters.class.getClassLoader())) {
      if (unknown.remove(provider.getName())) {
        try {
          all.add(provider.createExporter(config));
        } catch (RuntimeException e) {
          AgentLog.warnOnce("the exporter " + provider.getName() + " cannot be built: " + e);
        }
      }
    }
    if (!unknown.isEmpty()) {
      AgentLog.warnOnce(
          "OTEL_TRACES_EXPORTER: the agent supports only otlp and none, not " + unknown);
    }
    return all;
  }

  /** Whether an exporter of the SDK's may be built: OTLP needs none. */
  public static boolean mayBeOfTheSdk(Settings settings) {
    String names = settings.otel("otel.traces.exporter");
    return names != null && !names.equals(OTLP);
  }

  /**
   * Short, because the queue fills while an exporter waits, and the own file is a good fallback.
   */
  static @Nullable RetryPolicy retry(ConfigProperties config) {
    return config.getBoolean("otel.java.exporter.otlp.retry.disabled", false)
        ? null
        : RetryPolicy.builder()
            .setMaxAttempts(3)
            .setInitialBackoff(Duration.ofMillis(200))
            .setMaxBackoff(Duration.ofSeconds(1))
            .build();
  }
}
