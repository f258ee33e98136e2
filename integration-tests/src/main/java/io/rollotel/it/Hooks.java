package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;

/** Startup hooks, good and bad; named by {@code ROLL_OTEL_STARTUP_HOOK}. */
public final class Hooks {

  private Hooks() {}

  /** Says that it ran. */
  public static void plain() {
    System.out.println("hook");
  }

  /** Another provider, with the SDK of the class path. */
  static void ownSdk() {
    System.out.println("hook");
    GlobalOpenTelemetry.set(
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter()))
                    .build())
            .build());
  }

  /** A processor and a resource beside the agent's, and something in the application. */
  public static void customize(AutoConfigurationCustomizer sdk) {
    System.out.println("hook");
    HookedApplication.value = "set by the hook";
    sdk.addTracerProviderCustomizer(
            (provider, config) ->
                provider.addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter())))
        .addResourceCustomizer(
            (resource, config) ->
                resource.merge(Resource.create(Attributes.builder().put("hooked", true).build())));
  }

  /** Another exporter, and no other. */
  public static void replaceExporter(AutoConfigurationCustomizer sdk) {
    sdk.addSpanExporterCustomizer(
        (exporter, config) -> {
          exporter.shutdown();
          return new InheritingExporter();
        });
  }

  /** Another provider, without the agent's queue; its sampler samples everything. */
  public static void replaceProvider(AutoConfigurationCustomizer sdk) {
    sdk.addTracerProviderCustomizer(
        (provider, config) ->
            SdkTracerProvider.builder()
                .setSampler(Sampler.alwaysOn())
                .addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter())));
  }

  /** Fails at once, after it has asked for something. */
  public static void throwing(AutoConfigurationCustomizer sdk) {
    customize(sdk);
    throw new IllegalStateException("no tracing today");
  }

  /** Fails when the SDK is built. */
  public static void throwingLater(AutoConfigurationCustomizer sdk) {
    sdk.addSamplerCustomizer(
        (sampler, config) -> {
          throw new IllegalStateException("no sampler today");
        });
  }

  /** Cannot be called, because it is not static. */
  public void notStatic() {}

  /** Cannot be called, because it has parameters. */
  public static void other(String what) {
    System.out.println(what);
  }
}
