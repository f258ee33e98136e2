package io.rollotel.traces.report;

import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.TracedProcess;

/** The JSON fields that rows of several kinds have in common. */
final class CommonFields {

  private final TraceUrlTemplate traceUrls;
  private final JsonRows json;

  CommonFields(TraceUrlTemplate traceUrls, JsonRows json) {
    this.traceUrls = traceUrls;
    this.json = json;
  }

  /** The fields of a row about a process. */
  JsonRows process(TracedProcess process) {
    return json.put("service", process.serviceName())
        .put("instance", process.instanceId())
        .put("rank", process.rank());
  }

  /** The fields of a row about one span. */
  void span(SpanRow span) {
    String traceId = span.traceId();
    String spanId = span.spanId();
    json.put("traceId", traceId)
        .put("spanId", spanId)
        .put("name", span.name())
        .put("instance", span.process().instanceId())
        .put("startEpochNanos", span.startEpochNanos())
        .put("nanos", span.nanos());
    url(traceId, spanId);
  }

  /** The link to a span, if there are links. */
  void url(String traceId, String spanId) {
    String url = traceUrls.url(traceId, spanId);
    if (url != null) {
      json.put("url", url);
    }
  }
}
