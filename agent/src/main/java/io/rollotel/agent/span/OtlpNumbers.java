package io.rollotel.agent.span;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;

/** The numbers of OpenTelemetry's enums in OTLP. */
public final class OtlpNumbers {

  private OtlpNumbers() {}

  /** {@code Span.SpanKind}; OTLP's 0 stands for an unspecified kind. */
  public static int of(SpanKind kind) {
    return switch (kind) {
      case INTERNAL -> 1;
      case SERVER -> 2;
      case CLIENT -> 3;
      case PRODUCER -> 4;
      case CONSUMER -> 5;
    };
  }

  /** {@code Status.StatusCode}. */
  public static int of(StatusCode code) {
    return switch (code) {
      case UNSET -> 0;
      case OK -> 1;
      case ERROR -> 2;
    };
  }
}
