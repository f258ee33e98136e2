/**
 * The commands that only the agent has: {@code attach} and {@code detach} for running JVMs, {@code
 * doctor} for running and for future ones.
 *
 * <p>Start with {@link io.rollotel.agent.command.Commands}.
 */
@NullMarked
package io.rollotel.agent.command;

import org.jspecify.annotations.NullMarked;
