package io.rollotel.agent.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.Account;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.Settings;
import io.rollotel.traces.collector.Rendezvous;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The agent's SDK: the user's {@code OTEL_*} settings by the SDK's own autoconfiguration, our
 * resource, sampler, ids and queue.
 */
final class AgentSdk {

  private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");

  /** What the SDK calls a service that nobody named. */
  private static final String UNKNOWN_SERVICE = "unknown_service:java";

  private final OpenTelemetrySdk sdk;
  private final SpanQueue queue;

  private AgentSdk(OpenTelemetrySdk sdk, SpanQueue queue) {
    this.sdk = sdk;
    this.queue = queue;
  }

  static AgentSdk build(Settings settings, Rendezvous rendezvous, Account account) {
    String instance = settings.instance();
    if (instance == null || instance.isEmpty()) {
      instance = Rendezvous.host() + ":" + ProcessHandle.current().pid();
    }
    Delivery delivery = new Delivery(settings, rendezvous, instance, account);
    SpanQueue queue = new SpanQueue(delivery, account);
    Attributes process = processAttributes(settings, rendezvous, instance);
    OpenTelemetrySdk sdk;
    try {
      sdk = autoconfigured(settings, delivery, queue, process, account);
    } catch (RuntimeException e) {
      // The SDK refuses to be built with a malformed OTEL_* setting; tracing does not stop at that.
      AgentLog.warn("OTEL_* settings are ignored, one is not understood: " + e.getMessage());
      sdk =
          OpenTelemetrySdk.builder()
              .setTracerProvider(
                  SdkTracerProvider.builder()
                      .setResource(resource(Resource.getDefault(), process, settings))
                      .setSampler(
                          new SuppressingSampler(Sampler.parentBased(Sampler.alwaysOn()), account))
                      .setIdGenerator(Ids.create())
                      .addSpanProcessor(queue)
                      .build())
              .build();
    }
    queue.start();
    return new AgentSdk(sdk, queue);
  }

  OpenTelemetry openTelemetry() {
    return sdk;
  }

  SpanQueue queue() {
    return queue;
  }

  /** The provider stays open: what ends later is still counted or kept, see {@link SpanQueue}. */
  void close(long deadlineNanos, boolean atExit) {
    queue.close(deadlineNanos, atExit);
  }

  /** After {@link #close}: tracers that the application keeps make no spans from now on. */
  void detach() {
    sdk.shutdown();
  }

  private static OpenTelemetrySdk autoconfigured(
      Settings settings, Delivery delivery, SpanQueue queue, Attributes process, Account account) {
    List<Map<String, String>> weakAndStrong = settings.otelArguments();
    return AutoConfiguredOpenTelemetrySdk.builder()
        .setServiceClassLoader(AgentSdk.class.getClassLoader())
        .disableShutdownHook()
        .addPropertiesSupplier(() -> weakAndStrong.get(0))
        .addPropertiesCustomizer(config -> properties(config, weakAndStrong.get(1), delivery))
        .addResourceCustomizer((resource, config) -> resource(resource, process, settings))
        .addSamplerCustomizer((sampler, config) -> new SuppressingSampler(sampler, account))
        .addTracerProviderCustomizer(
            (provider, config) -> {
              delivery.configure(config);
              queue.configure(config);
              return provider.setIdGenerator(Ids.create()).addSpanProcessor(queue);
            })
        .build()
        .getOpenTelemetrySdk();
  }

  /** Exporters are not built here but by {@link Delivery}, in the background. */
  private static Map<String, String> properties(
      ConfigProperties config, Map<String, String> fromUserCode, Delivery delivery) {
    Map<String, String> properties = new HashMap<>(fromUserCode);
    delivery.setExporters(config.getList("otel.traces.exporter"));
    properties.put("otel.traces.exporter", "none");
    properties.put("otel.metrics.exporter", "none");
    properties.put("otel.logs.exporter", "none");
    String protocol =
        config.getString(
            "otel.exporter.otlp.traces.protocol", config.getString("otel.exporter.otlp.protocol"));
    if (protocol != null && !protocol.equals("http/protobuf")) {
      AgentLog.warn(
          "OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol + " is not supported, http/protobuf is used");
    }
    properties.put("otel.exporter.otlp.protocol", "http/protobuf");
    properties.put("otel.exporter.otlp.traces.protocol", "http/protobuf");
    return properties;
  }

  /** The user's own attributes are stronger than ours. */
  private static Resource resource(Resource configured, Attributes process, Settings settings) {
    Resource merged = Resource.create(process).merge(configured);
    String name = configured.getAttribute(SERVICE_NAME);
    if (name == null || name.equals(UNKNOWN_SERVICE)) {
      merged = merged.merge(Resource.create(Attributes.of(SERVICE_NAME, serviceName(settings))));
    }
    return merged;
  }

  private static String serviceName(Settings settings) {
    String given = settings.otel("otel.service.name");
    if (given != null && !given.isBlank()) {
      return given;
    }
    String cluster = settings.environment("CLUSTER_NAME");
    if (cluster != null && !cluster.isBlank()) {
      return cluster;
    }
    // "com.acme.Main args" or "/path/app.jar args"
    String command = System.getProperty("sun.java.command", "").split(" ", 2)[0];
    String main = command.substring(command.lastIndexOf('/') + 1);
    if (!main.endsWith(".jar")) {
      main = main.substring(main.lastIndexOf('.') + 1);
    }
    return main.isEmpty() ? UNKNOWN_SERVICE : main;
  }

  private static Attributes processAttributes(
      Settings settings, Rendezvous rendezvous, String instance) {
    AttributesBuilder attributes =
        Attributes.builder()
            .put("service.instance.id", instance)
            .put("process.pid", ProcessHandle.current().pid())
            .put("host.name", Rendezvous.host())
            .put("roll.run_id", rendezvous.runId());
    putNumber(attributes, "roll.rank", settings.environment("RANK"));
    putNumber(attributes, "roll.world_size", settings.environment("WORLD_SIZE"));
    String cluster = settings.environment("CLUSTER_NAME");
    if (cluster != null) {
      attributes.put("roll.cluster_name", cluster);
    }
    return attributes.build();
  }

  private static void putNumber(AttributesBuilder attributes, String key, @Nullable String value) {
    if (value != null) {
      try {
        attributes.put(key, Long.parseLong(value.trim()));
      } catch (NumberFormatException notARank) {
        AgentLog.info("not a number, left out of the resource: " + key + "=" + value);
      }
    }
  }
}
