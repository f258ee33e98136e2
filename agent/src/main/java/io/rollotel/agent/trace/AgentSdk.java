package io.rollotel.agent.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.Account;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.Settings;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.traces.collector.Rendezvous;
import java.io.File;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The agent's SDK: the user's {@code OTEL_*} settings by the SDK's own autoconfiguration, our
 * resource, sampler, ids and queue.
 */
final class AgentSdk {

  private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");

  /** What the SDK calls a service that nobody named. */
  private static final String UNKNOWN_SERVICE = "unknown_service:java";

  private static final List<String> FIRST_OF_RESOURCE =
      List.of(
          "service.name",
          "service.instance.id",
          "host.name",
          "process.pid",
          "roll.run_id",
          "roll.rank",
          "roll.world_size",
          "roll.cluster_name");

  private final OpenTelemetrySdk sdk;
  private final SpanQueue queue;
  private final WorkerTracer workerTracer;
  private final AgentMeters meters;
  private final OpenTelemetry openTelemetry;

  private AgentSdk(
      OpenTelemetrySdk sdk, SpanQueue queue, WorkerTracer workerTracer, AgentMeters meters) {
    this.sdk = sdk;
    this.queue = queue;
    this.workerTracer = workerTracer;
    this.meters = meters;
    openTelemetry = meters.with(sdk);
  }

  static AgentSdk build(
      Settings settings, Rendezvous rendezvous, Account account, Recorder recorder) {
    String instance = settings.instance();
    if (instance == null || instance.isEmpty()) {
      instance = Rendezvous.host() + ":" + ProcessHandle.current().pid();
    }
    Delivery delivery = new Delivery(settings, rendezvous, instance, account);
    SpanQueue queue = new SpanQueue(delivery, account, recorder);
    SpanRecorder spanRecorder = new SpanRecorder(recorder, queue, Clock.getDefault());
    SpanProcessor processor = recorder.isWanted() ? spanRecorder : queue;
    Attributes process = processAttributes(settings, rendezvous, instance);
    Resource[] resource = {Resource.empty()};
    UnaryOperator<Resource> ours =
        configured -> {
          resource[0] = resource(configured, process, settings);
          return resource[0];
        };
    Ids ids = Ids.create();
    MetricSettings metrics = new MetricSettings();
    OpenTelemetrySdk sdk;
    try {
      sdk = autoconfigured(settings, delivery, queue, processor, ours, ids, metrics, account);
    } catch (RuntimeException e) {
      // The SDK refuses to be built with a malformed OTEL_* setting; tracing does not stop at that.
      AgentLog.warn("OTEL_* settings are ignored, one is not understood: " + e.getMessage());
      sdk =
          OpenTelemetrySdk.builder()
              .setTracerProvider(
                  SdkTracerProvider.builder()
                      .setResource(ours.apply(Resource.getDefault()))
                      .setSampler(
                          new SuppressingSampler(Sampler.parentBased(Sampler.alwaysOn()), account))
                      .setIdGenerator(ids)
                      .addSpanProcessor(processor)
                      .build())
              .build();
    }
    if (recorder.isWanted()) {
      recorder.open(rendezvous.fileName(instance), recorded(resource[0]));
    }
    queue.start();
    boolean endpointGiven =
        settings.otel("otel.exporter.otlp.endpoint") != null
            || settings.otel("otel.exporter.otlp.metrics.endpoint") != null;
    File ownFile = rendezvous.ownFile(instance);
    AgentMeters meters =
        new AgentMeters(
            () ->
                new MetricReports(
                    rendezvous, endpointGiven, metrics.config, metrics.exporters, ownFile),
            () -> resource[0]);
    return new AgentSdk(
        sdk, queue, workerTracer(sdk, resource[0], queue, ids, account, spanRecorder), meters);
  }

  /**
   * Whatever the SDK was built with; of processors there is none but the queue, since worker spans
   * tell the recorder themselves.
   */
  private static WorkerTracer workerTracer(
      OpenTelemetrySdk sdk,
      Resource resource,
      SpanQueue queue,
      Ids ids,
      Account account,
      SpanRecorder recorder) {
    SdkTracerProvider provider = sdk.getSdkTracerProvider();
    return new WorkerTracer(
        provider.get(SdkTracing.WORKER_SCOPE),
        InstrumentationScopeInfo.create(SdkTracing.WORKER_SCOPE),
        resource,
        provider.getSpanLimits(),
        queue,
        provider.getSampler() instanceof SuppressingSampler suppressing
            ? suppressing.configured()
            : provider.getSampler(),
        Clock.getDefault(),
        ids,
        account,
        recorder);
  }

  WorkerTracer workerTracer() {
    return workerTracer;
  }

  OpenTelemetry openTelemetry() {
    return openTelemetry;
  }

  SpanQueue queue() {
    return queue;
  }

  /** The provider stays open: what ends later is still counted or kept, see {@link SpanQueue}. */
  void close(long deadlineNanos, boolean atExit) {
    queue.close(deadlineNanos, atExit);
    meters.close(deadlineNanos);
  }

  /** After {@link #close}: tracers that the application keeps make no spans from now on. */
  void detach() {
    sdk.shutdown();
  }

  /** What the user's settings say of metrics, which are built later, if at all. */
  private static final class MetricSettings {
    private List<String> exporters = List.of();
    private @Nullable ConfigProperties config;
  }

  private static OpenTelemetrySdk autoconfigured(
      Settings settings,
      Delivery delivery,
      SpanQueue queue,
      SpanProcessor processor,
      UnaryOperator<Resource> resource,
      Ids ids,
      MetricSettings metrics,
      Account account) {
    List<Map<String, String>> weakAndStrong = settings.otelArguments();
    return AutoConfiguredOpenTelemetrySdk.builder()
        .setServiceClassLoader(AgentSdk.class.getClassLoader())
        .disableShutdownHook()
        .addPropertiesSupplier(() -> weakAndStrong.get(0))
        .addPropertiesCustomizer(
            config -> {
              metrics.exporters = List.copyOf(config.getList("otel.metrics.exporter"));
              return properties(config, weakAndStrong.get(1), settings.otlpProtocol(), delivery);
            })
        .addResourceCustomizer((configured, config) -> resource.apply(configured))
        .addSamplerCustomizer((sampler, config) -> new SuppressingSampler(sampler, account))
        .addTracerProviderCustomizer(
            (provider, config) -> {
              metrics.config = config;
              delivery.configure(config);
              queue.configure(config);
              return provider.setIdGenerator(ids).addSpanProcessor(processor);
            })
        .build()
        .getOpenTelemetrySdk();
  }

  /** Exporters are not built here but by {@link Delivery}, in the background. */
  private static Map<String, String> properties(
      ConfigProperties config,
      Map<String, String> fromUserCode,
      String protocol,
      Delivery delivery) {
    Map<String, String> properties = new HashMap<>(fromUserCode);
    delivery.setExporters(config.getList("otel.traces.exporter"));
    properties.put("otel.traces.exporter", "none");
    properties.put("otel.metrics.exporter", "none");
    properties.put("otel.logs.exporter", "none");
    properties.put("otel.exporter.otlp.protocol", protocol);
    properties.put("otel.exporter.otlp.traces.protocol", protocol);
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

  /** For the recorder: first what tells the process, since there may not be room for all. */
  private static Map<String, Object> recorded(Resource resource) {
    Map<String, Object> all = new LinkedHashMap<>();
    Map<AttributeKey<?>, Object> attributes = resource.getAttributes().asMap();
    for (String key : FIRST_OF_RESOURCE) {
      all.put(key, "");
    }
    for (Map.Entry<AttributeKey<?>, Object> attribute : attributes.entrySet()) {
      all.put(attribute.getKey().getKey(), attribute.getValue());
    }
    all.values().removeAll(Set.of(""));
    return all;
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
    String fallback = settings.fallbackServiceName();
    if (fallback != null) {
      return fallback;
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
