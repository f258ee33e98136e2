/**
 * The meters of the agent's SDK, built on demand: {@link
 * io.rollotel.agent.metrics.AgentMeterProvider} builds them, {@link
 * io.rollotel.agent.metrics.BackgroundMetricReader} exports what they measure.
 *
 * <p>Loaded once for each copy of the OpenTelemetry API.
 */
@NullMarked
package io.rollotel.agent.metrics;

import org.jspecify.annotations.NullMarked;
