package io.rollotel.agent.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.internal.otlp.traces.LowAllocationTraceRequestMarshaler;
import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.telemetry.TraceContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A span's whole life on this copy of the API, before anything is published: an API that does not
 * fit lets everything be built and fails at the first span, the application's own with it.
 */
final class Trial {

  private Trial() {}

  /** Throws whatever does not fit, as a LinkageError or an IllegalStateException. */
  static void run() {
    try (SdkTracerProvider provider = SdkTracerProvider.builder().build()) {
      SpanContext remote =
          SpanContext.createFromRemoteParent(
              "0af7651916cd43dd8448eb211c80319c",
              "b7ad6b7169203331",
              TraceFlags.getSampled(),
              TraceState.getDefault());
      Map<String, Object> metaInfo = new HashMap<>();
      TraceContext.put(metaInfo, Context.root().with(Span.wrap(remote)));
      Context parent = TraceContext.extract(metaInfo);
      Span span =
          provider
              .get("trial")
              .spanBuilder("trial")
              .setParent(parent)
              .setSpanKind(SpanKind.INTERNAL)
              .addLink(remote)
              .startSpan();
      try (Scope scope = TraceContext.suppress(parent.with(span)).makeCurrent()) {
        span.setAttribute(AttributeKey.stringKey("key"), "value");
        span.recordException(new IllegalStateException("trial"));
        span.setStatus(StatusCode.ERROR);
      }
      span.end();
      SpanData data = ((ReadableSpan) span).toSpanData();
      if (!data.getTraceId().equals(remote.getTraceId())) {
        throw new IllegalStateException("the trial span lost its parent");
      }
      // As for the own file, and as the exporter does it.
      TraceRequestMarshaler.create(List.of(data)).writeBinaryTo(new ByteArrayOutputStream());
      LowAllocationTraceRequestMarshaler exported = new LowAllocationTraceRequestMarshaler();
      exported.initialize(List.of(data));
      exported.writeBinaryTo(new ByteArrayOutputStream());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
