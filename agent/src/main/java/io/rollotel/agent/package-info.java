/**
 * The agent's door: {@link io.rollotel.agent.Agent} is what {@code -javaagent} and {@code attach}
 * call, {@link io.rollotel.agent.Main} is the command line. Both hand over to {@link
 * io.rollotel.agent.loader.InnerAgent}; everything behind it lies in a class loader of its own.
 *
 * <p>docs/architecture.md lists the rooms behind the door.
 */
@NullMarked
package io.rollotel.agent;

import org.jspecify.annotations.NullMarked;
