package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;

/** Spans by hand around a dispatch and around worker methods, and inside them. */
@SuppressWarnings("roll-otel:no-carrier")
public final class JoinedWorker {

  private static final Tracer TRACER = GlobalOpenTelemetry.getTracer("application");

  private JoinedWorker() {}

  /** A carried call, the same inside a span below its sender, and one that is suppressed. */
  public static void main(String[] arguments) {
    Payload payload = new Payload();
    Span step = TRACER.spanBuilder("step").startSpan();
    try (Scope scope = step.makeCurrent()) {
      send(payload);
    } finally {
      step.end();
    }
    generate(payload);
    Span request = TRACER.spanBuilder("request").setParent(Context.root().with(step)).startSpan();
    try (Scope scope = request.makeCurrent()) {
      store(payload);
    } finally {
      request.end();
    }
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
  private static void store(Payload payload) {}

  @Register(trace = true)
  private static void score() {}

  @Register
  private static void quiet() {
    TRACER.spanBuilder("unwanted").startSpan().end();
    score();
  }
}
