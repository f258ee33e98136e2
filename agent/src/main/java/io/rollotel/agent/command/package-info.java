/**
 * The commands that only the agent has: {@code attach} and {@code detach} for JVMs that run
 * already, {@code doctor} for those and for what is to come.
 *
 * <p>Start with {@link io.rollotel.agent.command.Commands}.
 */
@NullMarked
package io.rollotel.agent.command;

import org.jspecify.annotations.NullMarked;
