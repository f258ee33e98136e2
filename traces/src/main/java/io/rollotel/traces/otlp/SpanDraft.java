package io.rollotel.traces.otlp;

import java.util.List;
import java.util.Map;

/** A span whose scope and resource may follow it in the line. */
final class SpanDraft {
  String traceId = "";
  String spanId = "";
  String parentSpanId = "";
  String name = "";
  int kind;
  long startEpochNanos;
  long endEpochNanos;
  Map<String, Object> attributes = Map.of();
  int statusCode;
  String statusMessage = "";
  String exception = "";
  String scopeName = "";
  double weight = 1;
  String thinnedTraceId = "";
  List<SpanEvent> events = List.of();
  List<SpanLink> links = List.of();

  Span span(Resource resource) {
    return new Span(
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        startEpochNanos,
        endEpochNanos,
        attributes,
        statusCode,
        resource,
        scopeName,
        statusMessage.isEmpty() ? exception : statusMessage,
        weight,
        thinnedTraceId,
        events,
        links);
  }
}
