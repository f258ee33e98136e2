/**
 * The agent in JVMs that run already: the commands {@code attach} and {@code detach}, and what is
 * needed in such a JVM alone.
 *
 * <p>Start with {@link io.rollotel.agent.attach.Commands}.
 */
@NullMarked
package io.rollotel.agent.attach;

import org.jspecify.annotations.NullMarked;
