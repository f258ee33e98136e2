package io.rollotel.telemetry;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An application with an SDK of its own, tracing enabled, no agent. */
abstract class SdkFixture {

  static {
    // Read once per JVM, so it must be there before anything of ours is touched.
    System.setProperty("roll.otel.enabled", "true");
  }

  final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private OpenTelemetrySdk sdk;

  @BeforeEach
  void registerSdk() {
    MisuseCounts.resetForTest();
    GlobalOpenTelemetry.resetForTest();
    sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .buildAndRegisterGlobal();
  }

  @AfterEach
  void resetGlobal() {
    Telemetry.shutdown();
    GlobalOpenTelemetry.resetForTest();
    sdk.close();
  }

  Span startSpan(String name) {
    return sdk.getTracer("test").spanBuilder(name).startSpan();
  }
}
