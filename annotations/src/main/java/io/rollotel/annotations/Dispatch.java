package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that sends its payload arguments to a worker.
 *
 * <p>Before the body runs, the roll-otel agent writes the current trace context into the {@code
 * meta_info} of each argument that has one, under the key {@code _otel_ctx}. Mirrors what ROLL's
 * {@code func_generator} does before it dispatches.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Dispatch {}
