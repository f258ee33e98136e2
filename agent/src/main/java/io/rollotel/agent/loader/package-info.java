/**
 * The agent's class loaders. {@link io.rollotel.agent.loader.InnerLoader} keeps the agent, the SDK
 * and all libraries out of the application's sight; {@link io.rollotel.agent.loader.InnerAgent} is
 * what the door sees of them.
 *
 * <p>This package, the door and {@code hook} are all that the application's class path sees of the
 * agent's jar. They use the JDK alone.
 */
@NullMarked
package io.rollotel.agent.loader;

import org.jspecify.annotations.NullMarked;
