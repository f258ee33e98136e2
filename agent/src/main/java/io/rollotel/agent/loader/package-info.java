/**
 * The agent's class loaders. {@link io.rollotel.agent.loader.InnerLoader} hides the agent, the SDK
 * and all libraries from the application; {@link io.rollotel.agent.loader.InnerAgent} is the entry
 * point to them.
 *
 * <p>The application's class path sees only this package of the agent's jar, the entry classes and
 * {@code hook}. They use only the JDK.
 */
@NullMarked
package io.rollotel.agent.loader;

import org.jspecify.annotations.NullMarked;
