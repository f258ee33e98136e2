package io.rollotel.traces.otlp;

import java.io.Serializable;
import java.util.Map;

/**
 * A link to a span of this trace or of another one.
 *
 * @param traceId 32 hex digits, lower-case; empty if there is none
 * @param spanId 16 lower-case hex digits; empty if there is none
 * @param attributes as {@link Span#attributes}
 */
public record SpanLink(String traceId, String spanId, Map<String, Object> attributes)
    implements Serializable {}
