package io.rollotel.agent.export;

import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.traces.ConfigurableSpanExporterProvider;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.otlp.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The SDK's exporters as {@link FallbackExporter} wants them: without metrics about themselves,
 * whose default asks the global in a way that APIs before 1.57 do not know, and on passing threads.
 */
public final class SpanExporters {

  private SpanExporters() {}

  /** To the collector of this run. */
  static SpanExporter ofRun(Rendezvous.Collector collector) {
    return new HttpSpanExporter(OtlpEndpoint.ofRun(collector, Signal.TRACES));
  }

  /**
   * As the user's OTEL_* settings say; what cannot be built is named.
   *
   * @param names those in OTEL_TRACES_EXPORTER, none for otlp
   */
  static List<SpanExporter> ofUser(List<String> names, ConfigProperties config) {
    List<SpanExporter> all = new ArrayList<>();
    List<String> wanted = names.isEmpty() ? List.of("otlp") : names;
    if (wanted.equals(List.of("otlp"))) {
      try {
        OtlpEndpoint plain = OtlpEndpoint.ofUser(config, Signal.TRACES);
        if (plain != null) {
          return List.of(new HttpSpanExporter(plain));
        }
      } catch (RuntimeException e) {
        AgentLog.warnOnce("the exporter otlp cannot be built: " + e);
        return List.of();
      }
    }
    List<String> unknown = new ArrayList<>(wanted);
    unknown.remove("none");
    for (ConfigurableSpanExporterProvider provider :
        ServiceLoader.load(
            ConfigurableSpanExporterProvider.class, SpanExporters.class.getClassLoader())) {
      if (wanted.contains(provider.getName())) {
        unknown.remove(provider.getName());
        try {
          SpanExporter plain = provider.createExporter(config);
          SpanExporter adapted = adapted(plain, config);
          all.add(adapted);
          if (adapted != plain) {
            plain.shutdown();
          }
        } catch (RuntimeException e) {
          AgentLog.warnOnce("the exporter " + provider.getName() + " cannot be built: " + e);
        }
      }
    }
    if (!unknown.isEmpty()) {
      AgentLog.warnOnce("OTEL_TRACES_EXPORTER: only otlp and none are known, not " + unknown);
    }
    return all;
  }

  /** Whether an exporter of the SDK's may be built: all but plain HTTP is for it to send. */
  public static boolean mayBeOfTheSdk(Settings settings) {
    if (!settings.otlpProtocol().equals("http/protobuf")) {
      return true;
    }
    for (String property :
        List.of("otel.exporter.otlp.traces.endpoint", "otel.exporter.otlp.endpoint")) {
      String endpoint = settings.otel(property);
      if (endpoint != null && !endpoint.startsWith("http:")) {
        return true;
      }
    }
    String names = settings.otel("otel.traces.exporter");
    return names != null && !names.equals("otlp");
  }

  /** Short: while an exporter waits the queue fills, and the own file is a good second try. */
  static @Nullable RetryPolicy retry(ConfigProperties config) {
    return config.getBoolean("otel.java.exporter.otlp.retry.disabled", false)
        ? null
        : RetryPolicy.builder()
            .setMaxAttempts(3)
            .setInitialBackoff(Duration.ofMillis(200))
            .setMaxBackoff(Duration.ofSeconds(1))
            .build();
  }

  private static SpanExporter adapted(SpanExporter exporter, ConfigProperties config) {
    RetryPolicy retry = retry(config);
    if (exporter instanceof OtlpGrpcSpanExporter grpc) {
      return grpc.toBuilder()
          .setMeterProvider(MeterProvider.noop())
          .setExecutorService(AgentThreads.passing())
          .setRetryPolicy(retry)
          .build();
    }
    if (exporter instanceof OtlpHttpSpanExporter http) {
      return http.toBuilder()
          .setMeterProvider(MeterProvider.noop())
          .setExecutorService(AgentThreads.passing())
          .setRetryPolicy(retry)
          .build();
    }
    return exporter;
  }
}
