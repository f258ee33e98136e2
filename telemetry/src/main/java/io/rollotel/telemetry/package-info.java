/**
 * The API for users. {@link io.rollotel.telemetry.Telemetry} names the process and provides tracers
 * for spans made by hand, {@link io.rollotel.telemetry.TraceContext} carries the trace context in a
 * payload's {@code meta_info}, {@link io.rollotel.telemetry.RunTelemetry} traces the runs of an
 * agent framework, and {@link io.rollotel.telemetry.TraceCorrelation} links a record to its trace.
 *
 * <p>The module needs only opentelemetry-api. With the roll-otel agent, spans go to the agent's
 * SDK; without it, to the application's own SDK; without either, the methods do nothing.
 */
@NullMarked
package io.rollotel.telemetry;

import org.jspecify.annotations.NullMarked;
