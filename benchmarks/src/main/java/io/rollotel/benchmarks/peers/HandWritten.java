package io.rollotel.benchmarks.peers;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

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

  @SuppressWarnings("unchecked") // as in a program that trusts its payload
  double call(Map<String, Object> metaInfo, DoubleSupplier body) {
    Context parent = Context.current();
    if (metaInfo.get("_otel_ctx") instanceof Map<?, ?> carrier) {
      parent =
          W3CTraceContextPropagator.getInstance()
              .extract(parent, (Map<String, String>) carrier, Headers.GETTER);
    }
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

  private enum Headers implements TextMapGetter<Map<String, String>> {
    GETTER;

    @Override
    public Iterable<String> keys(Map<String, String> carrier) {
      return carrier.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
      return carrier == null ? null : carrier.get(key);
    }
  }
}
