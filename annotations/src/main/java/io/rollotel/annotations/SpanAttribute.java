package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Records the argument of a {@link Register} method on its span.
 *
 * <p>Strings, numbers, booleans and enums (by name) are recorded; a null argument is left out.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface SpanAttribute {

  /** The attribute's key. */
  String value();
}
