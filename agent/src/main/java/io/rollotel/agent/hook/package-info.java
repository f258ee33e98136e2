/**
 * What woven code sees of the agent: {@link io.rollotel.agent.hook.TraceHook} in an application,
 * the others in the JDK, in Ray and in logging libraries. JDK types only; on the system class path,
 * so that one class serves every loader.
 */
@NullMarked
package io.rollotel.agent.hook;

import org.jspecify.annotations.NullMarked;
