/**
 * The one way of weaving. {@link io.rollotel.agent.weave.ClassRewriter} changes the bodies of some
 * methods of a class, which a table of {@link io.rollotel.agent.weave.MethodPlace}s names, by the
 * ASM that Byte Buddy brings along. {@link io.rollotel.agent.weave.Weaver} does so for classes that
 * name our annotations; the JDK's threads, Ray and the logging libraries have tables of their own,
 * in their own packages.
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
