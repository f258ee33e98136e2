package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.annotations.Register;
import java.util.Collection;

/**
 * Sets an SDK of its own in main, before or after the first traced call and after having asked for
 * the global; prints what arrives at its exporter.
 */
public final class OwnSdkWorker {

  private OwnSdkWorker() {}

  /** Takes {@code before} or {@code after}. */
  public static void main(String[] arguments) {
    if (arguments[0].equals("after")) {
      GlobalOpenTelemetry.getTracer("early").spanBuilder("early").startSpan().end();
      train(Payload.traced(), "first");
    }
    GlobalOpenTelemetry.set(
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(new Printing()))
                    .build())
            .build());
    train(Payload.traced(), "second");
    System.out.println("done");
  }

  @Register(trace = true)
  private static void train(Payload payload, String call) {
    GlobalOpenTelemetry.getTracer("application").spanBuilder(call).startSpan().end();
  }

  static final class Printing implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      for (SpanData span : spans) {
        System.out.println("exported " + span.getName() + " of " + span.getTraceId());
      }
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
