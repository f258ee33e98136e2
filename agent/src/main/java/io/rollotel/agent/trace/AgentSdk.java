package io.rollotel.agent.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
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
  private final Tracer workerTracer;
  private final AgentMeters meters;
  private final OpenTelemetry openTelemetry;

  private AgentSdk(OpenTelemetrySdk sdk, SpanQueue queue, Tracer workerTracer, AgentMeters meters) {
    this.sdk = sdk;
    this.queue = queue;
    this.workerTracer = workerTracer;
    this.meters = meters;
    openTelemetry = meters.with(sdk);
  }

  /**
   * @param users what the application's code adds; where that fails, it is left out
   */
  static AgentSdk build(
      Settings settings,
      Rendezvous rendezvous,
      Account account,
      Recorder recorder,
      RecordedCustomizer users) {
    String instance = settings.instance();
    if (instance == null || instance.isEmpty()) {
      instance = Rendezvous.host() + ":" + ProcessHandle.current().pid();
    }
    Delivery delivery = new Delivery(settings, rendezvous, instance, account);
    SpanQueue queue = new SpanQueue(delivery, account, recorder);
    SpanRecorder spanRecorder = new SpanRecorder(recorder, queue, Clock.getDefault());
    SpanProcessor processor = recorder.isWanted() ? spanRecorder : queue;
    Attributes process = processAttributes(settings, rendezvous, instance);
    OwnResource resource = new OwnResource(process, settings);
    Ids ids = Ids.create();
    MetricSettings metrics = new MetricSettings();
    Parts parts = new Parts(settings, delivery, queue, processor, resource, ids, metrics, account);
    OpenTelemetrySdk sdk = null;
    RecordedCustomizer inForce = users;
    Throwable failure = null;
    if (!users.isEmpty()) {
      try {
        sdk = autoconfigured(parts, users);
      } catch (RuntimeException | LinkageError e) {
        failure = e;
      }
    }
    if (sdk == null) {
      inForce = new RecordedCustomizer();
      try {
        sdk = autoconfigured(parts, inForce);
        if (failure != null) {
          SdkCustomizers.failed("what the application adds to the SDK", failure);
        }
      } catch (RuntimeException e) {
        // A malformed OTEL_* setting; tracing does not stop at that.
        AgentLog.warn("OTEL_* settings are ignored, one is not understood: " + e.getMessage());
        sdk = plain(parts);
      }
    }
    if (recorder.isWanted()) {
      recorder.open(rendezvous.fileName(instance), recorded(resource.last));
    }
    queue.start();
    boolean endpointGiven = settings.endpointGiven("metrics");
    File ownFile = rendezvous.ownFile(instance);
    AgentMeters meters =
        new AgentMeters(
            () ->
                new MetricReports(
                    rendezvous, endpointGiven, metrics.config, metrics.exporters, ownFile),
            () -> resource.last);
    return new AgentSdk(
        sdk,
        queue,
        inForce.seesSpans()
            ? sdk.getTracer(SdkTracing.WORKER_SCOPE)
            : workerTracer(sdk, resource.last, queue, ids, account, spanRecorder),
        meters);
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

  Tracer workerTracer() {
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

  /** What an SDK is made of, whoever else has a say in it. */
  private record Parts(
      Settings settings,
      Delivery delivery,
      SpanQueue queue,
      SpanProcessor processor,
      OwnResource resource,
      Ids ids,
      MetricSettings metrics,
      Account account) {}

  private static OpenTelemetrySdk autoconfigured(Parts parts, RecordedCustomizer users) {
    List<Map<String, String>> weakAndStrong = parts.settings.otelArguments();
    AutoConfiguredOpenTelemetrySdkBuilder builder =
        AutoConfiguredOpenTelemetrySdk.builder()
            .setServiceClassLoader(AgentSdk.class.getClassLoader())
            .disableShutdownHook()
            .addPropertiesSupplier(() -> weakAndStrong.get(0));
    users.replayBeforeOurs(builder);
    builder
        .addPropertiesCustomizer(
            config -> {
              parts.metrics.exporters = List.copyOf(config.getList("otel.metrics.exporter"));
              return properties(
                  config, weakAndStrong.get(1), parts.settings.otlpProtocol(), parts.delivery);
            })
        .addResourceCustomizer((configured, config) -> parts.resource.apply(configured))
        .addSamplerCustomizer((sampler, config) -> new SuppressingSampler(sampler, parts.account))
        .addTracerProviderCustomizer(
            (provider, config) -> {
              parts.metrics.config = config;
              parts.delivery.configure(config, users);
              parts.queue.configure(config);
              return provider
                  .setIdGenerator(parts.ids)
                  .addSpanProcessor(users.processor(parts.processor, config));
            });
    if (!users.isEmpty()) {
      users.replayAfterOurs(builder);
      builder
          .addResourceCustomizer(
              (configured, config) -> {
                parts.resource.last = configured;
                return configured;
              })
          .addTracerProviderCustomizer((provider, config) -> suppressing(provider, parts.account));
    }
    return builder.build().getOpenTelemetrySdk();
  }

  /** User code may have set a sampler that knows nothing of suppression. */
  @SuppressWarnings("MustBeClosedChecker") // it has started nothing, and its processors live on
  private static SdkTracerProviderBuilder suppressing(
      SdkTracerProviderBuilder provider, Account account) {
    Sampler sampler = provider.build().getSampler();
    return sampler instanceof SuppressingSampler
        ? provider
        : provider.setSampler(new SuppressingSampler(sampler, account));
  }

  /** Without the user's settings. */
  private static OpenTelemetrySdk plain(Parts parts) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .setResource(parts.resource.apply(Resource.getDefault()))
                .setSampler(
                    new SuppressingSampler(Sampler.parentBased(Sampler.alwaysOn()), parts.account))
                .setIdGenerator(parts.ids)
                .addSpanProcessor(parts.processor)
                .build())
        .build();
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

  /** The resource of the SDK, once that is built. */
  private static final class OwnResource {
    private final Attributes process;
    private final Settings settings;
    private Resource last = Resource.empty();

    OwnResource(Attributes process, Settings settings) {
      this.process = process;
      this.settings = settings;
    }

    Resource apply(Resource configured) {
      last = resource(configured, process, settings);
      return last;
    }
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
