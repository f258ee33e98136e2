/**
 * The agent's own threads: {@link io.rollotel.agent.background.BackgroundTask} does a task again
 * and again, {@link io.rollotel.agent.background.AgentThreads} makes threads.
 */
@NullMarked
package io.rollotel.agent.background;

import org.jspecify.annotations.NullMarked;
