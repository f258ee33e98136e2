package io.rollotel.it;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import io.rollotel.telemetry.Telemetry;
import io.rollotel.telemetry.TraceContext;
import java.util.TreeMap;

/** A driver that uses {@code io.rollotel.telemetry}, and a worker in the same process. */
public final class TelemetryDriver {

  private TelemetryDriver() {}

  /** One pipeline step that dispatches, and one suppressed stretch. */
  public static void main(String[] arguments) {
    Telemetry.init("driver", null, "driver-0");
    Telemetry.init("again");
    Payload payload = new Payload();
    Span step = Telemetry.tracer().spanBuilder("pipeline_step").startSpan();
    step.setAttribute("global_step", 7L);
    try (Scope scope = step.makeCurrent()) {
      dispatch(payload);
    } finally {
      step.end();
    }
    System.out.println("keys " + new TreeMap<>(payload.getMetaInfo()).keySet());
    generate(payload);
    try (Scope scope = TraceContext.attach(null)) {
      Telemetry.tracer().spanBuilder("suppressed").startSpan().end();
      dispatch(payload);
    }
    System.out.println("keys " + payload.getMetaInfo().keySet());
    Telemetry.shutdown();
    System.out.println("done");
  }

  @Dispatch
  private static void dispatch(Payload payload) {
    if (payload.getMetaInfo().size() > 1) {
      throw new IllegalStateException("more than the context: " + payload.getMetaInfo());
    }
  }

  @Register(trace = true)
  private static void generate(Payload payload) {}
}
