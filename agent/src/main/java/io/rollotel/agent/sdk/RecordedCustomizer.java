package io.rollotel.agent.sdk;

import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The customizations of user code, kept until the SDK is built. Those of metrics and logs are
 * ignored, because the agent does not autoconfigure that part of the SDK.
 */
final class RecordedCustomizer implements AutoConfigurationCustomizer {

  /** Functions that run before the agent's own. */
  private final List<Consumer<AutoConfigurationCustomizer>> beforeOurs = new ArrayList<>();

  /** Functions that run after the agent's own. */
  private final List<Consumer<AutoConfigurationCustomizer>> afterOurs = new ArrayList<>();

  private final List<BiFunction<? super SpanExporter, ConfigProperties, ? extends SpanExporter>>
      exporters = new ArrayList<>();

  private final List<BiFunction<? super SpanProcessor, ConfigProperties, ? extends SpanProcessor>>
      processors = new ArrayList<>();

  private boolean seesSpans;

  /** Appends the recording of another. */
  void add(RecordedCustomizer other) {
    beforeOurs.addAll(other.beforeOurs);
    afterOurs.addAll(other.afterOurs);
    exporters.addAll(other.exporters);
    processors.addAll(other.processors);
    seesSpans |= other.seesSpans;
  }

  boolean isEmpty() {
    return beforeOurs.isEmpty()
        && afterOurs.isEmpty()
        && exporters.isEmpty()
        && processors.isEmpty();
  }

  /** Whether user code customizes how spans are created, so that all must be the SDK's own. */
  boolean seesSpans() {
    return seesSpans;
  }

  /** Whether user code customizes where spans go. */
  boolean exports() {
    return !exporters.isEmpty();
  }

  void replayBeforeOurs(AutoConfigurationCustomizer sdk) {
    beforeOurs.forEach(call -> call.accept(sdk));
  }

  void replayAfterOurs(AutoConfigurationCustomizer sdk) {
    afterOurs.forEach(call -> call.accept(sdk));
  }

  SpanProcessor processor(SpanProcessor ours, ConfigProperties config) {
    SpanProcessor processor = ours;
    for (BiFunction<? super SpanProcessor, ConfigProperties, ? extends SpanProcessor> function :
        processors) {
      processor = function.apply(processor, config);
    }
    return processor;
  }

  SpanExporter exporter(SpanExporter plain, ConfigProperties config) {
    SpanExporter exporter = plain;
    for (BiFunction<? super SpanExporter, ConfigProperties, ? extends SpanExporter> function :
        exporters) {
      exporter = function.apply(exporter, config);
    }
    return exporter;
  }

  @Override
  public AutoConfigurationCustomizer addTracerProviderCustomizer(
      BiFunction<SdkTracerProviderBuilder, ConfigProperties, SdkTracerProviderBuilder> function) {
    afterOurs.add(sdk -> sdk.addTracerProviderCustomizer(function));
    seesSpans = true;
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addSpanProcessorCustomizer(
      BiFunction<? super SpanProcessor, ConfigProperties, ? extends SpanProcessor> function) {
    processors.add(function);
    seesSpans = true;
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addSpanExporterCustomizer(
      BiFunction<? super SpanExporter, ConfigProperties, ? extends SpanExporter> function) {
    exporters.add(function);
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addSamplerCustomizer(
      BiFunction<? super Sampler, ConfigProperties, ? extends Sampler> function) {
    beforeOurs.add(sdk -> sdk.addSamplerCustomizer(function));
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addResourceCustomizer(
      BiFunction<? super Resource, ConfigProperties, ? extends Resource> function) {
    afterOurs.add(sdk -> sdk.addResourceCustomizer(function));
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addPropagatorCustomizer(
      BiFunction<? super TextMapPropagator, ConfigProperties, ? extends TextMapPropagator>
          function) {
    beforeOurs.add(sdk -> sdk.addPropagatorCustomizer(function));
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addPropertiesSupplier(
      Supplier<Map<String, String>> properties) {
    beforeOurs.add(sdk -> sdk.addPropertiesSupplier(properties));
    return this;
  }

  @Override
  public AutoConfigurationCustomizer addPropertiesCustomizer(
      Function<ConfigProperties, Map<String, String>> function) {
    beforeOurs.add(sdk -> sdk.addPropertiesCustomizer(function));
    return this;
  }
}
