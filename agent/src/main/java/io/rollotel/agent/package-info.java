/**
 * The agent's entry points: {@link io.rollotel.agent.Agent} is called by {@code -javaagent} and
 * {@code attach}, {@link io.rollotel.agent.Main} is the command line. Both call {@link
 * io.rollotel.agent.loader.InnerAgent}; everything behind it is in a separate class loader.
 *
 * <p>docs/architecture.md lists the packages.
 */
@NullMarked
package io.rollotel.agent;

import org.jspecify.annotations.NullMarked;
