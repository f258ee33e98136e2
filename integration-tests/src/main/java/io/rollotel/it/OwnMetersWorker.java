package io.rollotel.it;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.rollotel.annotations.Register;

/** Has an SDK of its own, with meters; prints the measurements. */
public final class OwnMetersWorker {

  private OwnMetersWorker() {}

  /** Two calls, the first of them through the agent's SDK. */
  public static void main(String[] arguments) {
    train(Payload.traced());
    Reader reader = new Reader();
    OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder().build())
        .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build())
        .buildAndRegisterGlobal();
    train(Payload.traced());
    for (MetricData metric : reader.registration.collectAllMetrics()) {
      for (HistogramPointData point : metric.getHistogramData().getPoints()) {
        System.out.println(metric.getName() + " " + point.getCount());
      }
    }
  }

  @Register(trace = true)
  private static void train(Payload payload) {}

  private static final class Reader implements MetricReader {

    private CollectionRegistration registration = CollectionRegistration.noop();

    @Override
    public void register(CollectionRegistration given) {
      registration = given;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
