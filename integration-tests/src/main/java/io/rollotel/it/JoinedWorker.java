package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;

/** Spans by hand around a dispatch and around worker methods, and inside them. */
@SuppressWarnings("roll-otel:no-carrier")
public final class JoinedWorker {

  private static final Tracer TRACER = GlobalOpenTelemetry.getTracer("application");

  private JoinedWorker() {}

  /** One carried call, and one that is suppressed. */
  public static void main(String[] arguments) {
    Payload payload = new Payload();
    Span step = TRACER.spanBuilder("step").startSpan();
    try (Scope scope = step.makeCurrent()) {
      send(payload);
    } finally {
      step.end();
    }
    generate(payload);
    quiet();
    System.out.println("done");
  }

  @Dispatch
  private static void send(Payload payload) {}

  @Register(trace = true)
  private static void generate(Payload payload) {
    Span.current().setAttribute("seen", true);
    Span span = TRACER.spanBuilder("by hand").startSpan();
    try (Scope scope = span.makeCurrent()) {
      score();
    } finally {
      span.end();
    }
  }

  @Register(trace = true)
  private static void score() {}

  @Register
  private static void quiet() {
    TRACER.spanBuilder("unwanted").startSpan().end();
    score();
  }
}
