/**
 * What users call: {@link io.rollotel.telemetry.Telemetry} to name the process and to make spans by
 * hand, {@link io.rollotel.telemetry.TraceContext} to carry the trace context in a payload's {@code
 * meta_info}, {@link io.rollotel.telemetry.RunTelemetry} for the runs of an agent framework, {@link
 * io.rollotel.telemetry.TraceCorrelation} to lead from a record to its trace, {@link
 * io.rollotel.telemetry.WorkerSpan} for what a worker knows.
 *
 * <p>Needs opentelemetry-api alone. With the roll-otel agent the spans go to its SDK; with an SDK
 * of the application's own, to that; with neither, nothing happens.
 */
@NullMarked
package io.rollotel.telemetry;

import org.jspecify.annotations.NullMarked;
