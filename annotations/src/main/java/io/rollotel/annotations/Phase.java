package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that fetches a worker's payload or stores its result.
 *
 * <p>Called inside a {@code @Register(trace = true)} method, such a method has a span {@code
 * prefetch} or {@code to_remote} below the worker's, and the worker's own code has a span {@code
 * exec} beside it, from the end of {@code prefetch} to the start of {@code to_remote} or to the
 * worker's end. Below a span made by hand it is a child of that one. Called anywhere else, it has
 * no span. Mirrors the phases of ROLL's {@code @register} decorator.
 *
 * <p>Methods need a body, and cannot have {@link Register} as well: the processor refuses both.
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
