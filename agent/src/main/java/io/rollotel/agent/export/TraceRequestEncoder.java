package io.rollotel.agent.export;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.rollotel.agent.span.OtlpNumbers;
import io.rollotel.agent.span.SpanIds;
import io.rollotel.agent.span.WorkerMethodSpanData;
import io.rollotel.traces.otlp.WireBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A batch of spans as an OTLP request, byte for byte what the SDK makes of it ({@code
 * TraceRequestEncoderTest}), except for empty texts, whose type the SDK leaves out. It never
 * converts the ids of worker spans to text, and it has little code to load and compile, because a
 * process runs it only once or twice a second. Leaves no thread local behind.
 */
public final class TraceRequestEncoder {

  // opentelemetry/proto/trace/v1/trace.proto: whether the parent's flag is known, and is set.
  private static final int PARENT_KNOWN = 0x100;
  private static final int PARENT_REMOTE = 0x200;
  private static final int SAMPLED = 1;

  private final WireBuffer wire = new WireBuffer();

  /** Marshals. For use by one thread. */
  public byte[] of(Collection<SpanData> batch) {
    wire.clear();
    grouped(batch)
        .forEach(
            (resource, scopes) -> {
              int start = wire.beginMessage(1);
              int inner = wire.beginMessage(1);
              attributes(1, resource.getAttributes());
              wire.endMessage(inner);
              scopes.forEach(this::scope);
              text(3, resource.getSchemaUrl());
              wire.endMessage(start);
            });
    return Arrays.copyOf(wire.bytes(), wire.length());
  }

  private static Map<Resource, Map<InstrumentationScopeInfo, List<SpanData>>> grouped(
      Collection<SpanData> batch) {
    Map<Resource, Map<InstrumentationScopeInfo, List<SpanData>>> groups = new LinkedHashMap<>();
    Resource resource = null;
    InstrumentationScopeInfo scope = null;
    List<SpanData> group = List.of();
    for (SpanData span : batch) {
      // Nearly all spans have the same one, so this avoids computing hash codes.
      if (span.getResource() != resource || span.getInstrumentationScopeInfo() != scope) {
        resource = span.getResource();
        scope = span.getInstrumentationScopeInfo();
        group =
            groups
                .computeIfAbsent(resource, none -> new LinkedHashMap<>())
                .computeIfAbsent(scope, none -> new ArrayList<>(batch.size()));
      }
      group.add(span);
    }
    return groups;
  }

  private void scope(InstrumentationScopeInfo scope, List<SpanData> spans) {
    int start = wire.beginMessage(2);
    int inner = wire.beginMessage(1);
    text(1, scope.getName());
    text(2, scope.getVersion());
    attributes(3, scope.getAttributes());
    wire.endMessage(inner);
    for (SpanData span : spans) {
      span(span);
    }
    text(3, scope.getSchemaUrl());
    wire.endMessage(start);
  }

  private void span(SpanData span) {
    int start = wire.beginMessage(2);
    SpanIds ids = span instanceof WorkerMethodSpanData worker ? worker.ids() : null;
    int flags;
    if (ids != null && ids.isNumbers()) {
      wire.id(1, ids.traceHigh(), ids.traceLow());
      wire.id(2, ids.spanId());
      wire.id(4, ids.parentSpanId());
      flags = SAMPLED | PARENT_KNOWN | (ids.isRemoteParent() ? PARENT_REMOTE : 0);
    } else {
      flags = ids(span.getSpanContext(), span.getParentSpanContext());
    }
    text(5, span.getName());
    wire.varint(6, OtlpNumbers.of(span.getKind()));
    fixed64(7, span.getStartEpochNanos());
    fixed64(8, span.getEndEpochNanos());
    Attributes attributes = span.getAttributes();
    attributes(9, attributes);
    count(10, span.getTotalAttributeCount() - attributes.size());
    List<EventData> events = span.getEvents();
    for (int i = 0; i < events.size(); i++) {
      event(events.get(i));
    }
    count(12, span.getTotalRecordedEvents() - events.size());
    List<LinkData> links = span.getLinks();
    for (int i = 0; i < links.size(); i++) {
      link(links.get(i));
    }
    count(14, span.getTotalRecordedLinks() - links.size());
    status(span.getStatus());
    wire.fixed32(16, flags);
    wire.endMessage(start);
  }

  /** Writes them and returns the flags. */
  private int ids(SpanContext context, SpanContext parent) {
    wire.hex(1, context.getTraceId());
    wire.hex(2, context.getSpanId());
    traceState(context.getTraceState());
    if (parent.isValid()) {
      wire.hex(4, parent.getSpanId());
    }
    return flags(context, parent);
  }

  private static int flags(SpanContext context, SpanContext parent) {
    return (context.getTraceFlags().asByte() & 0xff)
        | PARENT_KNOWN
        | (parent.isRemote() ? PARENT_REMOTE : 0);
  }

  private void traceState(TraceState state) {
    if (!state.isEmpty()) {
      StringBuilder text = new StringBuilder();
      state.forEach(
          (key, value) ->
              text.append(text.isEmpty() ? "" : ",").append(key).append('=').append(value));
      wire.text(3, text.toString());
    }
  }

  private void event(EventData event) {
    int start = wire.beginMessage(11);
    fixed64(1, event.getEpochNanos());
    text(2, event.getName());
    attributes(3, event.getAttributes());
    count(4, event.getDroppedAttributesCount());
    wire.endMessage(start);
  }

  private void link(LinkData link) {
    int start = wire.beginMessage(13);
    SpanContext to = link.getSpanContext();
    wire.hex(1, to.getTraceId());
    wire.hex(2, to.getSpanId());
    traceState(to.getTraceState());
    attributes(4, link.getAttributes());
    count(5, link.getTotalAttributeCount() - link.getAttributes().size());
    wire.fixed32(6, flags(to, to));
    wire.endMessage(start);
  }

  private void status(StatusData status) {
    int start = wire.beginMessage(15);
    text(2, status.getDescription());
    count(3, OtlpNumbers.of(status.getStatusCode()));
    wire.endMessage(start);
  }

  private void attributes(int number, Attributes attributes) {
    if (!attributes.isEmpty()) {
      attributes.forEach((key, value) -> attribute(number, key, value));
    }
  }

  private void attribute(int number, AttributeKey<?> key, Object value) {
    int start = wire.beginMessage(number);
    text(1, key.getKey());
    value(2, value);
    wire.endMessage(start);
  }

  /** Even an empty value is written: the field that is present determines the type. */
  private void value(int number, @Nullable Object value) {
    int start = wire.beginMessage(number);
    if (value instanceof Boolean bool) {
      wire.varint(2, bool ? 1 : 0);
    } else if (value instanceof Long integer) {
      wire.varint(3, integer);
    } else if (value instanceof Double floating) {
      wire.fixed64(4, Double.doubleToRawLongBits(floating));
    } else if (value instanceof List<?> list) {
      int array = wire.beginMessage(5);
      for (Object element : list) {
        value(1, element);
      }
      wire.endMessage(array);
    } else if (value != null) { // an element of a list may be null, and then is empty
      wire.text(1, value.toString()); // text, or a type that a newer API adds
    }
    wire.endMessage(start);
  }

  /** Writes nothing if it is empty, like all fields in this format. */
  private void text(int number, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      wire.text(number, text);
    }
  }

  private void count(int number, int count) {
    if (count != 0) {
      wire.varint(number, count);
    }
  }

  private void fixed64(int number, long value) {
    if (value != 0) {
      wire.fixed64(number, value);
    }
  }
}
