/**
 * OpenTelemetry's protocol in its two forms: protobuf's wire format and lines of JSON.
 *
 * <p>{@link io.rollotel.traces.otlp.LineTranslator} turns a request on the wire into a line of
 * JSON, {@link io.rollotel.traces.otlp.RequestEncoder} turns a line into a request, and {@link
 * io.rollotel.traces.otlp.LineParser} turns a line into {@link io.rollotel.traces.otlp.Span}s.
 */
@NullMarked
package io.rollotel.traces.otlp;

import org.jspecify.annotations.NullMarked;
