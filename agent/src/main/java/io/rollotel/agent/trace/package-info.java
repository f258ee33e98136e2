/**
 * The SDK lives here and nowhere else: {@link io.rollotel.agent.trace.SdkTracing} is the entrance,
 * {@link io.rollotel.agent.trace.SdkCustomizers} that of the application's code that shapes it.
 * Loaded once for each copy of the OpenTelemetry API in the JVM.
 *
 * <p>The way of a span: {@code WorkerMethod} (start, parent) → {@code WorkerCall} (end) → {@code
 * SpanQueue} → {@code Delivery} (collector, or the process's own file).
 */
@NullMarked
package io.rollotel.agent.trace;

import org.jspecify.annotations.NullMarked;
