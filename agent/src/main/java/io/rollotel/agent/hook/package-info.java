/**
 * What woven code calls: {@link io.rollotel.agent.hook.TraceHook} from worker methods, {@link
 * io.rollotel.agent.hook.RayHook} from Ray's runtime, {@link io.rollotel.agent.hook.LogHook} from
 * Logback, {@link io.rollotel.agent.hook.Log4jHook} from Log4j, and a copy of {@link
 * io.rollotel.agent.hook.TaskHook} from the JDK's executors. JDK types only; on the system class
 * path, so that one class serves every loader.
 */
@NullMarked
package io.rollotel.agent.hook;

import org.jspecify.annotations.NullMarked;
