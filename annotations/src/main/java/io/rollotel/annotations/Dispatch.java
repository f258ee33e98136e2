package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the sender's side: a method that ships its payload arguments to a worker.
 *
 * <p>Before its body runs, the roll-otel agent writes the current trace context into the {@code
 * meta_info} of every argument that carries one, under the key {@code _otel_ctx}. Mirrors what
 * ROLL's {@code func_generator} does before it dispatches.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Dispatch {}
