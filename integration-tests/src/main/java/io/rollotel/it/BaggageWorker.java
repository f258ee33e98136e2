package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import io.rollotel.telemetry.WorkerSpan;
import java.util.concurrent.CompletableFuture;

/** A driver that sets baggage, and workers that print what they find. */
public final class BaggageWorker {

  private BaggageWorker() {}

  /** Prints what a worker finds. */
  public static void main(String[] arguments) {
    WorkerSpan.current().set("outside", 1);
    Payload with = new Payload();
    Payload without = new Payload();
    Span step = GlobalOpenTelemetry.getTracer("driver").spanBuilder("pipeline_step").startSpan();
    try (Scope scope = step.makeCurrent()) {
      dispatch(without);
      try (Scope baggage =
          Baggage.builder().put("run_id", "r7").put("global_step", "3").build().makeCurrent()) {
        dispatch(with);
      }
    } finally {
      step.end();
    }
    generate(with);
    plain(without);
    quiet();
  }

  @Dispatch
  private static void dispatch(Payload payload) {}

  @Register(trace = true)
  private static void generate(Payload payload) {
    System.out.println("baggage " + Baggage.current().getEntryValue("run_id"));
    Span inside = GlobalOpenTelemetry.getTracer("worker").spanBuilder("by hand").startSpan();
    try (Scope scope = inside.makeCurrent()) {
      WorkerSpan.current().set("reward", 0.25).set("done", true).set("task_id", "t1");
      CompletableFuture.runAsync(() -> WorkerSpan.current().set("elsewhere", 4)).join();
    } finally {
      inside.end();
    }
  }

  @Register(trace = true)
  private static void plain(Payload payload) {
    System.out.println("baggage " + Baggage.current().getEntryValue("run_id"));
  }

  @Register
  private static void quiet() {
    WorkerSpan.current().set("suppressed", 1);
  }
}
