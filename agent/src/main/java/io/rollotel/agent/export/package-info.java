/**
 * Ended spans on their way out. {@link io.rollotel.agent.export.BatchingSpanProcessor} queues them,
 * {@link io.rollotel.agent.export.FallbackExporter} sends each batch to an exporter or appends it
 * to the process's own file, {@link io.rollotel.agent.export.TraceRequestEncoder} encodes it.
 *
 * <p>Loaded once for each copy of the OpenTelemetry API.
 */
@NullMarked
package io.rollotel.agent.export;

import org.jspecify.annotations.NullMarked;
