package io.rollotel.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a worker method: a method that another process calls with a payload.
 *
 * <p>With {@code trace = true}, the roll-otel agent gives each call a span {@code worker.<method>}.
 * Its parent is the trace context in the payload's {@code meta_info}. With {@code trace = false},
 * the default, nothing inside the method is traced.
 *
 * <p>If the method is declared to return a {@code CompletionStage}, {@code CompletableFuture} or
 * Guava's {@code ListenableFuture}, the span ends when that completes. Otherwise it ends when the
 * method returns.
 *
 * <p>The method must have a body: the processor reports abstract and native methods as errors.
 * Mirrors ROLL's {@code @register} decorator.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Register {

  /** Whether calls have a span. If {@code false}, tracing is suppressed inside the method. */
  boolean trace() default false;

  /** The name of the span, at most 255 characters. The default is {@code worker.<method>}. */
  String name() default "";

  /** The span's kind. */
  Kind kind() default Kind.INTERNAL;

  /**
   * Exceptions that are part of the method's work. An exception of one of these types, or of a
   * subtype, is recorded as an event but does not mark the span as an error.
   */
  Class<? extends Throwable>[] expected() default {};

  /** The kinds of spans, with OpenTelemetry's names. */
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
