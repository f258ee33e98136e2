package io.rollotel.traces.kit;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/** Encoded requests as a test plants them. */
public final class Requests {

  private Requests() {}

  /** A request of one process, which is described by keys and values in turns. */
  public static byte[] of(List<Span> spans, String... attributes) {
    Resource.Builder resource = Resource.newBuilder();
    for (int i = 0; i < attributes.length; i += 2) {
      resource.addAttributes(
          KeyValue.newBuilder()
              .setKey(attributes[i])
              .setValue(AnyValue.newBuilder().setStringValue(attributes[i + 1])));
    }
    ResourceSpans.Builder resourceSpans = ResourceSpans.newBuilder().setResource(resource);
    resourceSpans.addScopeSpansBuilder().addAllSpans(spans);
    return ExportTraceServiceRequest.newBuilder()
        .addResourceSpans(resourceSpans)
        .build()
        .toByteArray();
  }

  /** A request of so many spans, with the ids from the first on. */
  public static byte[] spans(long firstSpanId, int count) {
    return of(
        IntStream.range(0, count)
            .mapToObj(i -> span(1, firstSpanId + i, 0, "worker.generate", 5, 3))
            .toList(),
        "service.name",
        "test");
  }

  /** A span; a parent of 0 is none. */
  public static Span span(
      long traceId, long spanId, long parentId, String name, long startNanos, long nanos) {
    Span.Builder span =
        Span.newBuilder()
            .setTraceId(
                ByteString.copyFrom(ByteBuffer.allocate(16).putLong(0).putLong(traceId).array()))
            .setSpanId(id(spanId))
            .setName(name)
            .setStartTimeUnixNano(startNanos)
            .setEndTimeUnixNano(startNanos + nanos);
    if (parentId != 0) {
      span.setParentSpanId(id(parentId));
    }
    return span.build();
  }

  /** The same span, failed. */
  public static Span failed(Span span) {
    return span.toBuilder()
        .setStatus(Status.newBuilder().setCode(Status.StatusCode.STATUS_CODE_ERROR))
        .build();
  }

  private static ByteString id(long id) {
    return ByteString.copyFrom(ByteBuffer.allocate(8).putLong(id).array());
  }
}
