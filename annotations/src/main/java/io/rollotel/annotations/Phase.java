package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that fetches a worker's payload or stores its result.
 *
 * <p>A call inside a {@code @Register(trace = true)} method has a span {@code prefetch} or {@code
 * to_remote} below the worker's span. The worker's own code then has a span {@code exec} beside it,
 * which lasts from the end of {@code prefetch} to the start of {@code to_remote} or to the end of
 * the worker's span. A call inside a span made by hand is a child of that span. Any other call has
 * no span. Mirrors the phases of ROLL's {@code @register} decorator.
 *
 * <p>The method must have a body, and must not have {@link Register} as well. The processor reports
 * both as errors.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Phase {

  /** Which phase it is. */
  Name value();

  /** Phases by ROLL's names. */
  enum Name {
    /** Fetches what the payload refers to: {@code prefetch}. */
    PREFETCH,
    /** Stores the result where others fetch it: {@code to_remote}. */
    TO_REMOTE
  }
}
