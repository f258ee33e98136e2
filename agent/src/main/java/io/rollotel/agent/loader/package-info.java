/**
 * The agent's class loaders. {@link io.rollotel.agent.loader.InnerLoader} hides the agent, the SDK
 * and all libraries from the application; {@link io.rollotel.agent.loader.InnerAgent} is the entry
 * point to them.
 *
 * <p>Of the agent's jar, the application's class path sees only this package, the entry classes and
 * {@code hook}. They use the JDK alone.
 */
@NullMarked
package io.rollotel.agent.loader;

import org.jspecify.annotations.NullMarked;
