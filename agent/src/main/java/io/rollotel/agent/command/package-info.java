/**
 * The agent in JVMs that run already: the commands {@code attach} and {@code detach}, and what is
 * needed in such a JVM alone.
 *
 * <p>Start with {@link io.rollotel.agent.command.Commands}.
 */
@NullMarked
package io.rollotel.agent.command;

import org.jspecify.annotations.NullMarked;
