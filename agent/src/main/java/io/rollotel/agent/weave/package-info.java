/**
 * Byte Buddy lives here and nowhere else: {@link io.rollotel.agent.weave.Weaver} takes a class that
 * names our annotations and gives it back woven. What every traced program needs is written by its
 * ASM alone; its advice is for Ray and for logging libraries.
 *
 * <p>What is woven, for {@code @Register}:
 *
 * <pre>{@code
 * Object call = invokedynamic TraceHook.start("facts")(those arguments that matter);
 * try { body } finally { TraceHook.end(call, thrown); }
 * }</pre>
 */
@NullMarked
package io.rollotel.agent.weave;

import org.jspecify.annotations.NullMarked;
