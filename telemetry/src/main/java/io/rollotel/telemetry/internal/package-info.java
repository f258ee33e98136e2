/**
 * Internal parts that {@code io.rollotel.telemetry} and the agent share. Users must not call them:
 * they may change in any version. {@link io.rollotel.telemetry.internal.Propagation} writes a
 * context into a payload and reads it back, {@link io.rollotel.telemetry.internal.Suppression}
 * marks a context as suppressed, {@link io.rollotel.telemetry.internal.WorkerSpanContext} keeps the
 * worker span in a context, and {@link io.rollotel.telemetry.internal.AgentLink} calls the agent,
 * which it finds by name.
 *
 * <p>This package does not use {@code io.rollotel.telemetry}. The agent's class loader loads a
 * second copy of it, so a JVM has more than one copy of each static field here.
 */
@NullMarked
package io.rollotel.telemetry.internal;

import org.jspecify.annotations.NullMarked;
