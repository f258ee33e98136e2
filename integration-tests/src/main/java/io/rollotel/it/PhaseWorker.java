package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Phase;
import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Worker methods that fetch and store; each situation has a sender and a trace of its own. */
public final class PhaseWorker {

  private int situation;

  private PhaseWorker() {}

  /** Runs every situation. */
  public static void main(String[] arguments) {
    PhaseWorker worker = new PhaseWorker();
    worker.train(
        worker.payload(),
        () -> {
          fetch();
          byHand(() -> {});
          store();
        });
    Map<String, Object> passedOn = worker.payload();
    worker.train(
        passedOn,
        () -> {
          fetch();
          worker.inner(passedOn);
        });
    worker.storing(worker.payload());
    worker.storing(worker.payload());
    worker.train(worker.payload(), () -> byHand(PhaseWorker::fetch));
    worker.train(
        worker.payload(),
        () -> {
          for (int batch = 0; batch < 2; batch++) {
            fetch();
            store();
          }
        });
    worker.train(worker.payload(), () -> CompletableFuture.runAsync(PhaseWorker::fetch).join());
    failing(() -> worker.train(worker.payload(), PhaseWorker::fetchAndFail));
    failing(() -> worker.train(worker.payload(), PhaseWorker::failToFetch));
    CompletableFuture<String> later = new CompletableFuture<>();
    worker.train(
        worker.payload(), () -> System.out.println("fetched " + fetchLater(later).isDone()));
    later.complete("fetched");
    worker.quiet(worker.payload());
    byHand(PhaseWorker::fetch);
    System.out.println("current " + (Context.current() == Context.root()));
  }

  private static void failing(Runnable call) {
    try {
      call.run();
    } catch (IllegalStateException e) {
      System.out.println("caught " + e.getMessage());
    }
  }

  private Map<String, Object> payload() {
    situation++;
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put(
        "_otel_ctx",
        Map.of("traceparent", String.format("00-%032x-%016x-01", situation, 0xa0 + situation)));
    return metaInfo;
  }

  private static void byHand(Runnable body) {
    Span span = GlobalOpenTelemetry.getTracer("worker").spanBuilder("by hand").startSpan();
    try (Scope scope = span.makeCurrent()) {
      body.run();
    } finally {
      span.end();
    }
  }

  @Register(trace = true)
  private void train(@MetaInfo Map<String, Object> metaInfo, Runnable body) {
    body.run();
  }

  @Register(trace = true)
  private void inner(@MetaInfo Map<String, Object> metaInfo) {}

  @Register(trace = true)
  private void storing(@MetaInfo Map<String, Object> metaInfo) {
    store();
  }

  @Register
  private void quiet(@MetaInfo Map<String, Object> metaInfo) {
    fetch();
  }

  private static void fetchAndFail() {
    fetch();
    throw new IllegalStateException("no gradient");
  }

  @Phase(Phase.Name.PREFETCH)
  private static void fetch() {}

  @Phase(Phase.Name.PREFETCH)
  private static void failToFetch() {
    throw new IllegalStateException("no payload");
  }

  @Phase(Phase.Name.PREFETCH)
  private static CompletableFuture<String> fetchLater(CompletableFuture<String> later) {
    return later;
  }

  @Phase(Phase.Name.TO_REMOTE)
  private static void store() {}
}
