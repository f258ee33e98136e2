package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a {@link Register} or {@link Dispatch} method that is the payload's {@code
 * meta_info} itself: a {@code Map<String, ?>} that carries the trace context under the key {@code
 * _otel_ctx}.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface MetaInfo {}
