/**
 * The agent's class loaders. {@link io.rollotel.agent.loader.InnerLoader} hides the agent, the SDK
 * and all libraries from the application; {@link io.rollotel.agent.loader.InnerAgent} is the entry
 * point to them.
 *
 * <p>This package, the door and {@code hook} are all that the application's class path sees of the
 * agent's jar. They use the JDK alone.
 */
@NullMarked
package io.rollotel.agent.loader;

import org.jspecify.annotations.NullMarked;
