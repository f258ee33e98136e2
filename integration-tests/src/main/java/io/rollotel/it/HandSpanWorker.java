package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Register;

/** Makes a span by hand inside a worker method, from a tracer in a static field. */
@SuppressWarnings("roll-otel:no-carrier")
public final class HandSpanWorker {

  private static final Tracer TRACER = GlobalOpenTelemetry.getTracer("application");

  private HandSpanWorker() {}

  /** One carried call, and one that is suppressed. */
  public static void main(String[] arguments) {
    generate(Payload.traced());
    generate(new Payload());
    System.out.println("done");
  }

  @Register(trace = true)
  private static void generate(Payload payload) {
    Span span = TRACER.spanBuilder("by hand").startSpan();
    try (Scope scope = span.makeCurrent()) {
      score();
    } finally {
      span.end();
    }
  }

  @Register(trace = true)
  private static void score() {}
}
