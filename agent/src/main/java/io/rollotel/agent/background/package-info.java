/**
 * The agent's own threads: {@link io.rollotel.agent.background.BackgroundTask} does a task again
 * and again, {@link io.rollotel.agent.background.AgentThreads} makes threads. {@link
 * io.rollotel.agent.background.Carrier} and {@link io.rollotel.agent.background.StackRoom} are for
 * the application's threads, while they begin tracing.
 */
@NullMarked
package io.rollotel.agent.background;

import org.jspecify.annotations.NullMarked;
