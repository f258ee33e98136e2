package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a worker method: one that another process calls with a payload.
 *
 * <p>With {@code trace = true} the roll-otel agent gives each call a span {@code worker.<method>},
 * whose parent is the trace context that the payload's {@code meta_info} carries. With {@code trace
 * = false}, the default, nothing inside the method is traced.
 *
 * <p>A method declared to return a {@code CompletionStage}, {@code CompletableFuture} or Guava's
 * {@code ListenableFuture} ends its span when that completes. Any other ends it when it returns.
 *
 * <p>Methods need a body: abstract and native methods are refused by the processor. Mirrors ROLL's
 * {@code @register} decorator.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Register {

  /** Whether calls get a span. Where it is {@code false}, everything inside is suppressed. */
  boolean trace() default false;

  /** The span's name, at most 255 characters; left out, {@code worker.<method>}. */
  String name() default "";

  /** The span's kind. */
  Kind kind() default Kind.INTERNAL;

  /**
   * Exceptions that belong to the method's work: one of these types, or of a subtype, becomes an
   * event on the span but does not make it an error.
   */
  Class<? extends Throwable>[] expected() default {};

  /** OpenTelemetry's kinds of span, by their names there. */
  enum Kind {
    /** Inside the process: the default. */
    INTERNAL,
    /** Serves a request. */
    SERVER,
    /** Makes a request and waits for the answer. */
    CLIENT,
    /** Sends a message. */
    PRODUCER,
    /** Works on a message. */
    CONSUMER
  }
}
