package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.OpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.rollotel.annotations.Register;

/** Has an SDK of its own, in one of several ways; prints what arrives at its exporter. */
public final class OwnSdkWorker {

  private OwnSdkWorker() {}

  /**
   * Takes {@code before} or {@code after}, which is when the SDK is set: before or after the first
   * traced call and after the global was asked for; {@code registered} as the SDK's own builder
   * does it; {@code kept}, and not set at all; {@code automatic}, made by the global itself.
   */
  public static void main(String[] arguments) {
    if (arguments[0].equals("after")) {
      GlobalOpenTelemetry.getTracer("early").spanBuilder("early").startSpan().end();
      train(Payload.traced(), GlobalOpenTelemetry.get(), "first");
    }
    OpenTelemetry own;
    switch (arguments[0]) {
      case "registered" -> own = builder().buildAndRegisterGlobal();
      case "kept" -> own = builder().build();
      case "automatic" -> own = GlobalOpenTelemetry.get();
      default -> {
        own = builder().build();
        GlobalOpenTelemetry.set(own);
      }
    }
    train(Payload.traced(), own, "second");
    quiet(own);
    System.out.println("done");
  }

  private static OpenTelemetrySdkBuilder builder() {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter()))
                .build());
  }

  @Register(trace = true)
  private static void train(Payload payload, OpenTelemetry openTelemetry, String call) {
    openTelemetry.getTracer("application").spanBuilder(call).startSpan().end();
  }

  @Register
  private static void quiet(OpenTelemetry openTelemetry) {
    openTelemetry.getTracer("application").spanBuilder("unwanted").startSpan().end();
  }
}
