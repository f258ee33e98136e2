package io.rollotel.traces.report;

import org.jspecify.annotations.Nullable;

/** Links from spans into a trace viewer, by a template. */
final class TraceLinks {

  private final @Nullable String template;

  TraceLinks(@Nullable String template) {
    this.template = template;
  }

  /** The link of a span, null where there is no template. */
  @Nullable String link(String traceId, String spanId) {
    return template == null
        ? null
        : template
            .replace("{trace_id}", traceId)
            .replace("{span_id}", spanId)
            .replace("{traceparent}", "00-" + traceId + "-" + spanId + "-01");
  }
}
