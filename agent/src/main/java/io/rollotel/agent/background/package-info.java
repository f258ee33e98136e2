/**
 * The agent's own threads: {@link io.rollotel.agent.background.BackgroundTask} does a task again
 * and again, {@link io.rollotel.agent.background.AgentThreads} makes threads. {@link
 * io.rollotel.agent.background.Pinning} and {@link io.rollotel.agent.background.StackRoom} are for
 * the application's threads, while they begin tracing. {@link
 * io.rollotel.agent.background.WeakIdentity} is for tables that both use.
 */
@NullMarked
package io.rollotel.agent.background;

import org.jspecify.annotations.NullMarked;
