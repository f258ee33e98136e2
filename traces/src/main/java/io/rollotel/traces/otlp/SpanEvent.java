package io.rollotel.traces.otlp;

import java.io.Serializable;
import java.util.Map;

/**
 * Something that happened within a span.
 *
 * @param epochNanos nanoseconds since the epoch, unsigned; 0 if the file has none
 * @param attributes as {@link Span#attributes}
 */
public record SpanEvent(String name, long epochNanos, Map<String, Object> attributes)
    implements Serializable {}
