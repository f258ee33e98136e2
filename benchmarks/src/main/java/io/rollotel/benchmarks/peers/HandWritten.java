package io.rollotel.benchmarks.peers;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.rollotel.benchmarks.SenderContext;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** What a careful engineer writes by hand with the unchanged SDK. */
final class HandWritten implements AutoCloseable {

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  private HandWritten(SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = provider.get("worker");
  }

  /** With the stock batch processor, over HTTP to the endpoint of the environment. */
  static HandWritten exporting() {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(System.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/traces")
            .build();
    return new HandWritten(
        SdkTracerProvider.builder()
            .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
            .build());
  }

  double call(Map<String, Object> metaInfo, DoubleSupplier body) {
    Context parent = SenderContext.extract(metaInfo);
    Span span = tracer.spanBuilder("worker.train").setParent(parent).startSpan();
    span.setAttribute("code.function.name", "io.rollotel.benchmarks.peers.Load.train");
    try (Scope scope = parent.with(span).makeCurrent()) {
      return body.getAsDouble();
    } catch (RuntimeException e) {
      span.setStatus(StatusCode.ERROR);
      span.recordException(e);
      throw e;
    } finally {
      span.end();
    }
  }

  @Override
  public void close() {
    provider.close();
  }
}
