package io.rollotel.agent.sdk;

import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import org.jspecify.annotations.Nullable;

/**
 * What the agent uses of an SDK. Its meters are the agent's own, and by default it exports no logs.
 * So it need not be a whole SDK, whose providers of meters and loggers are some thirty classes that
 * the first traced call would load.
 *
 * @param whole the SDK that autoconfiguration has built; null if only these parts were built
 */
record BuiltSdk(
    SdkTracerProvider tracers, ContextPropagators propagators, @Nullable OpenTelemetrySdk whole) {

  static BuiltSdk of(OpenTelemetrySdk whole) {
    return new BuiltSdk(whole.getSdkTracerProvider(), whole.getPropagators(), whole);
  }

  /** The application's code may have configured them. */
  LoggerProvider loggers() {
    return whole == null ? LoggerProvider.noop() : whole.getLogsBridge();
  }

  /** From now on, tracers that the application keeps create no spans. */
  void shutdown() {
    if (whole == null) {
      tracers.shutdown();
    } else {
      whole.shutdown();
    }
  }
}
