package io.rollotel.traces.recording;

import java.io.Serializable;

/**
 * A span that has started and not ended.
 *
 * @param traceId 32 hex digits, lower-case
 * @param spanId 16 hex digits, lower-case
 * @param parentSpanId as {@code spanId}, empty for a root
 * @param name empty if the recorder had no room for it
 * @param startEpochNanos nanoseconds since the epoch
 * @param threadId the id, in its JVM, of the thread that started it
 */
public record OpenSpan(
    String traceId,
    String spanId,
    String parentSpanId,
    String name,
    long startEpochNanos,
    long threadId)
    implements Serializable {}
