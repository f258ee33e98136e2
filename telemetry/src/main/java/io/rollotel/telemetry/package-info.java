/**
 * What users call. {@link io.rollotel.telemetry.Telemetry} names the process and makes spans by
 * hand, {@link io.rollotel.telemetry.TraceContext} carries the trace context in a payload's {@code
 * meta_info}, {@link io.rollotel.telemetry.RunTelemetry} traces the runs of an agent framework, and
 * {@link io.rollotel.telemetry.TraceCorrelation} leads from a record to its trace.
 *
 * <p>The module needs opentelemetry-api alone. With the roll-otel agent the spans go to the agent's
 * SDK, without it to an SDK of the application's own; with neither, nothing happens.
 */
@NullMarked
package io.rollotel.telemetry;

import org.jspecify.annotations.NullMarked;
