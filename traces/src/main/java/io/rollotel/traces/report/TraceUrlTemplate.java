package io.rollotel.traces.report;

import org.jspecify.annotations.Nullable;

/** The URL template of a trace viewer, for links to a span. */
final class TraceUrlTemplate {

  private final @Nullable String template;

  TraceUrlTemplate(@Nullable String template) {
    this.template = template;
  }

  /** The URL of a span; null if there is no template. */
  @Nullable String url(String traceId, String spanId) {
    return template == null
        ? null
        : template
            .replace("{trace_id}", traceId)
            .replace("{span_id}", spanId)
            .replace("{traceparent}", "00-" + traceId + "-" + spanId + "-01");
  }
}
