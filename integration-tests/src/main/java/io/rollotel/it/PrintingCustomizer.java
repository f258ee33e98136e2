package io.rollotel.it;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;

/** Puts the exporter into an SDK that configures itself; a test names it as a service. */
public final class PrintingCustomizer implements AutoConfigurationCustomizerProvider {

  @Override
  public void customize(AutoConfigurationCustomizer configuration) {
    configuration.addTracerProviderCustomizer(
        (provider, config) ->
            provider.addSpanProcessor(SimpleSpanProcessor.create(new PrintingExporter())));
  }
}
