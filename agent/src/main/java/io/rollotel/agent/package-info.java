/**
 * The agent's door and its wiring, in this order: {@link io.rollotel.agent.Agent} (premain) →
 * {@link io.rollotel.agent.Settings} → {@link io.rollotel.agent.AnnotatedClasses} (which classes
 * are woven) → {@link io.rollotel.agent.ApiCopies} (which OpenTelemetry API a class sees) → {@link
 * io.rollotel.agent.InnerLoader} (where the SDK lies).
 *
 * <p>This package and {@code hook} are all that the application's class path sees of the agent's
 * jar. They use the JDK alone.
 */
@NullMarked
package io.rollotel.agent;

import org.jspecify.annotations.NullMarked;
