package io.rollotel.benchmarks;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.SdkTracerProvider;

/** What generated methods call that are traced by hand, with an SDK that exports nothing. */
public final class ByHand {

  private static final Tracer TRACER = SdkTracerProvider.builder().build().get("worker");

  private ByHand() {}

  /** A span below it. */
  public static Span start(String name, Context parent) {
    return TRACER
        .spanBuilder("worker." + name)
        .setParent(parent)
        .setAttribute("code.function.name", name)
        .startSpan();
  }

  /** The method has thrown. */
  public static void failed(Span span, RuntimeException thrown) {
    span.setStatus(StatusCode.ERROR);
    span.recordException(thrown);
  }
}
