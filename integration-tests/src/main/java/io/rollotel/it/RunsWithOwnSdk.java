package io.rollotel.it;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;

/** {@link RunsWorker} in an application that has an SDK of its own. */
public final class RunsWithOwnSdk {

  private RunsWithOwnSdk() {}

  /** Prints also what arrives at the exporter. */
  public static void main(String[] arguments) {
    OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter()))
                .build())
        .buildAndRegisterGlobal();
    RunsWorker.main(arguments);
  }
}
