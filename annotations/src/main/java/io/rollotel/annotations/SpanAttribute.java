package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Records an argument of a {@link Register} method on its span.
 *
 * <p>Strings, numbers, booleans, enums (by name), and arrays and lists of these are recorded. Null
 * and arguments of other types are left out. Text is cut to {@code ROLL_OTEL_ATTRIBUTE_LENGTH}
 * characters, 1,024 by default.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface SpanAttribute {

  /** The attribute's key. */
  String value();
}
