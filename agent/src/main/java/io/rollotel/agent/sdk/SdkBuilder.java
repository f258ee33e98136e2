package io.rollotel.agent.sdk;

import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.autoconfigure.ResourceConfiguration;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.internal.SdkTracerProviderUtil;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.export.BatchingSpanProcessor;
import io.rollotel.agent.export.FallbackExporter;
import io.rollotel.agent.export.OtlpEndpoint;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.span.ExceptionAttributes;
import io.rollotel.agent.span.OsSeededIdGenerator;
import io.rollotel.agent.span.Thinning;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds the agent's SDK from all its sources: the user's {@code OTEL_*} settings as the SDK
 * understands them, our resource, sampler, ids and queue.
 */
record SdkBuilder(
    Settings settings,
    FallbackExporter exporter,
    BatchingSpanProcessor queue,
    SpanProcessor processor,
    ProcessResource resource,
    OsSeededIdGenerator ids,
    MetricSettings metrics,
    Ledger ledger,
    ExceptionAttributes exceptions,
    Thinning thinning) {

  /** The prefixes of the names that {@link #direct} handles, or that are read elsewhere. */
  private static final List<String> DIRECT =
      List.of(
          "otel.service.name",
          "otel.resource.attributes",
          "otel.traces.exporter",
          "otel.metrics.",
          "otel.logs.exporter",
          "otel.exporter.",
          "otel.bsp.",
          "otel.blrp.",
          "otel.metric.export.",
          "otel.instrumentation.",
          "otel.javaagent.");

  /** The user's settings for metrics, which are built later, if ever. */
  static final class MetricSettings {
    List<String> exporters = List.of();
    @Nullable ConfigProperties config;
  }

  /**
   * By the SDK's own autoconfiguration.
   *
   * @param replacements of settings that the SDK refuses, by property names
   */
  BuiltSdk autoconfigured(RecordedCustomizer users, Map<String, String> replacements) {
    AutoConfiguredOpenTelemetrySdkBuilder builder = autoconfiguration(settings);
    users.replayBeforeOurs(builder);
    builder
        .addPropertiesCustomizer(
            config -> {
              takeExporters(config);
              return overrides(settings, config, replacements);
            })
        .addResourceCustomizer((configured, config) -> resource.apply(configured))
        .addSamplerCustomizer(
            (sampler, config) ->
                new SuppressingSampler(
                    sampler, config.getString("otel.traces.sampler.arg"), ledger, thinning))
        .addTracerProviderCustomizer(
            (provider, config) -> {
              metrics.config = config;
              exporter.configure(
                  config, users.exports() ? exporter -> users.exporter(exporter, config) : null);
              queue.configure(config);
              SdkTracerProviderUtil.setExceptionAttributeResolver(provider, exceptions);
              return provider
                  .setIdGenerator(ids)
                  .addSpanProcessor(users.processor(processor, config));
            });
    if (!users.isEmpty()) {
      users.replayAfterOurs(builder);
      builder
          .addResourceCustomizer(
              (configured, config) -> {
                resource.last = configured;
                return configured;
              })
          .addTracerProviderCustomizer(
              (provider, config) -> suppressing(provider, ledger, thinning));
    }
    return BuiltSdk.of(builder.build().getOpenTelemetrySdk());
  }

  /** The SDK's own autoconfiguration, from all sources but {@link #overrides}. */
  static AutoConfiguredOpenTelemetrySdkBuilder autoconfiguration(Settings settings) {
    Map<String, String> weak = settings.otelArguments().get(0);
    return AutoConfiguredOpenTelemetrySdk.builder()
        .setServiceClassLoader(SdkBuilder.class.getClassLoader())
        .disableShutdownHook()
        .addPropertiesSupplier(() -> weak);
  }

  /** What autoconfiguration would read from all sources but {@link #overrides}. */
  static DefaultConfigProperties given(Settings settings) {
    return DefaultConfigProperties.create(
        settings.otelArguments().get(0),
        ComponentLoader.forClassLoader(SdkBuilder.class.getClassLoader()));
  }

  /**
   * The properties that override all others. Exporters are not built by the SDK but by {@link
   * FallbackExporter}, in the background.
   *
   * @param given what they override
   * @param replacements of settings that the SDK refuses, by property names
   */
  static Map<String, String> overrides(
      Settings settings, ConfigProperties given, Map<String, String> replacements) {
    Map<String, String> properties = RefusedSettings.instead(settings, given);
    Map<String, String> strong = settings.otelArguments().get(1);
    properties.putAll(strong);
    if (strong.containsKey("otel.exporter.otlp.endpoint")) {
      properties.put(OtlpEndpoint.IS_IN_CODE, "true");
    }
    properties.put("otel.traces.exporter", "none");
    properties.put("otel.metrics.exporter", "none");
    properties.put("otel.logs.exporter", "none");
    properties.putAll(settings.otlpProtocols());
    properties.putAll(replacements);
    return properties;
  }

  /** User code may have set a sampler that does not know suppression. */
  @SuppressWarnings("MustBeClosedChecker") // it has started nothing, and its processors stay in use
  private static SdkTracerProviderBuilder suppressing(
      SdkTracerProviderBuilder provider, Ledger ledger, Thinning thinning) {
    Sampler sampler = provider.build().getSampler();
    return sampler instanceof SuppressingSampler
        ? provider
        : provider.setSampler(new SuppressingSampler(sampler, ledger, thinning));
  }

  /**
   * Whether all given settings are ones that {@link #direct} handles, or that do not affect what it
   * builds. For unknown settings, autoconfiguration is used.
   */
  boolean areEnough() {
    for (String name : settings.otelNames()) {
      if (!isOfNoConsequence(name)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOfNoConsequence(String name) {
    for (String start : DIRECT) {
      if (name.startsWith(start)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Builds what autoconfiguration would build if {@link #areEnough}. Autoconfiguration loads a
   * hundred more classes, which is a large part of the first traced call. {@code SdkBuilderTest}
   * compares the two.
   */
  BuiltSdk direct(Map<String, String> replacements) {
    ConfigProperties config = config(replacements);
    Resource configured = Resource.getDefault();
    if (config.getString("otel.resource.attributes") != null
        || config.getString("otel.service.name") != null) {
      configured = configured.merge(ResourceConfiguration.createEnvironmentResource(config));
    }
    useForDelivery(config);
    queue.configure(config);
    return built(
        configured,
        ContextPropagators.create(
            TextMapPropagator.composite(
                W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())));
  }

  /** Without those of the user's settings that shape spans: they still go where the user wants. */
  BuiltSdk plain() {
    useForDelivery(config(Map.of()));
    return built(Resource.getDefault(), ContextPropagators.noop());
  }

  private ConfigProperties config(Map<String, String> replacements) {
    DefaultConfigProperties given = given(settings);
    takeExporters(given);
    return given.withOverrides(overrides(settings, given, replacements));
  }

  /** Before they are overridden. */
  private void takeExporters(ConfigProperties config) {
    metrics.exporters = list(config, "otel.metrics.exporter");
    exporter.setExporters(list(config, "otel.traces.exporter"));
  }

  private void useForDelivery(ConfigProperties config) {
    metrics.config = config;
    exporter.configure(config, null);
  }

  private BuiltSdk built(Resource configured, ContextPropagators propagators) {
    Resource all = resource.apply(configured);
    SdkTracerProviderBuilder provider =
        SdkTracerProvider.builder()
            .setResource(all)
            .setSampler(
                new SuppressingSampler(Sampler.parentBased(Sampler.alwaysOn()), ledger, thinning))
            .setIdGenerator(ids)
            .addSpanProcessor(processor);
    SdkTracerProviderUtil.setExceptionAttributeResolver(provider, exceptions);
    return new BuiltSdk(provider.build(), propagators, null);
  }

  /** A single name, the usual case, without the streams that a list needs. */
  private static List<String> list(ConfigProperties config, String name) {
    String text = config.getString(name);
    if (text == null) {
      return List.of();
    }
    return text.indexOf(',') < 0 && !text.isBlank()
        ? List.of(text.trim())
        : List.copyOf(config.getList(name));
  }
}
