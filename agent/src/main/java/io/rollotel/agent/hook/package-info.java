/**
 * What woven code sees: {@link io.rollotel.agent.hook.TraceHook} and nothing else. JDK types only;
 * on the system class path, so that one class serves every loader.
 */
@NullMarked
package io.rollotel.agent.hook;

import org.jspecify.annotations.NullMarked;
