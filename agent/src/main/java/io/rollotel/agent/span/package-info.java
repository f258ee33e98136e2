/**
 * A call and its span. {@link io.rollotel.agent.span.WorkerMethod} decides what a call of a worker
 * method becomes, {@code WorkerCall} ends it, {@link io.rollotel.agent.span.WorkerMethodSpan} is
 * the span; {@link io.rollotel.agent.span.Tracers} are the tracers in use.
 *
 * <p>Loaded once for each copy of the OpenTelemetry API.
 */
@NullMarked
package io.rollotel.agent.span;

import org.jspecify.annotations.NullMarked;
