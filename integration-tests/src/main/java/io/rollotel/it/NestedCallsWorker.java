package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.telemetry.WorkerSpan;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Worker methods that call others; each situation has a sender and a trace of its own. */
public final class NestedCallsWorker {

  private final String[] headers;
  private int situation;

  private NestedCallsWorker(String[] headers) {
    this.headers = headers;
  }

  /** Takes more headers for each payload: name, value, and so on. */
  public static void main(String[] headers) {
    NestedCallsWorker worker = new NestedCallsWorker(headers);
    Map<String, Object> first = worker.payload();
    worker.outer(first, () -> worker.inner(first, () -> {}));

    Map<String, Object> copied = worker.payload();
    worker.outer(copied, () -> worker.inner(copyOf(copied), () -> {}));

    Map<String, Object> below = worker.payload();
    worker.outer(
        below, () -> worker.byHand(false, () -> worker.inner(below, NestedCallsWorker::set)));

    Map<String, Object> threads = worker.payload();
    worker.outer(
        threads, () -> CompletableFuture.runAsync(() -> worker.inner(threads, () -> {})).join());

    Map<String, Object> through = worker.payload();
    worker.outer(through, () -> worker.plain(() -> worker.inner(through, () -> {})));

    Map<String, Object> handAndPlain = worker.payload();
    worker.outer(
        handAndPlain,
        () -> worker.byHand(false, () -> worker.plain(() -> worker.inner(handAndPlain, () -> {}))));

    Map<String, Object> deep = worker.payload();
    worker.outer(deep, () -> worker.inner(deep, () -> worker.innermost(copyOf(deep), () -> {})));

    Map<String, Object> twice = worker.payload();
    worker.outer(twice, () -> {});
    worker.inner(twice, () -> {});

    Map<String, Object> root = worker.payload();
    worker.outer(root, () -> worker.byHand(true, () -> worker.inner(root, () -> {})));

    Map<String, Object> mixed = worker.payload();
    Map<String, Object> other = worker.payload();
    worker.outer(mixed, () -> worker.inner(other, () -> worker.innermost(copyOf(mixed), () -> {})));

    Map<String, Object> again = worker.payload();
    worker.outer(
        again,
        () -> {
          worker.send(again);
          worker.inner(again, () -> {});
        });
  }

  private static void set() {
    WorkerSpan.current().set("inside", 1);
  }

  private static Map<String, Object> copyOf(Map<String, Object> metaInfo) {
    Map<String, Object> copy = new HashMap<>();
    metaInfo.forEach((key, value) -> copy.put(key, new HashMap<>((Map<?, ?>) value)));
    return copy;
  }

  /** For the next sender: the last digits of its trace are the situation. */
  private Map<String, Object> payload() {
    situation++;
    Map<String, String> carrier = new HashMap<>();
    carrier.put("traceparent", String.format("00-%032x-%016x-01", situation, 0xa0 + situation));
    carrier.put("roll.sent_at", "1700000000000000000");
    for (int i = 0; i < headers.length; i += 2) {
      carrier.put(headers[i], headers[i + 1]);
    }
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put("_otel_ctx", carrier);
    return metaInfo;
  }

  @Register(trace = true)
  private void outer(@MetaInfo Map<String, Object> metaInfo, Runnable body) {
    body.run();
  }

  @Register(trace = true)
  private void inner(@MetaInfo Map<String, Object> metaInfo, Runnable body) {
    body.run();
  }

  @Register(trace = true)
  private void innermost(@MetaInfo Map<String, Object> metaInfo, Runnable body) {
    body.run();
  }

  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier")
  private void plain(Runnable body) {
    body.run();
  }

  @Dispatch
  private void send(@MetaInfo Map<String, Object> metaInfo) {}

  private void byHand(boolean isRoot, Runnable body) {
    SpanBuilder builder = GlobalOpenTelemetry.getTracer("worker").spanBuilder("by hand");
    Span span = (isRoot ? builder.setNoParent() : builder).startSpan();
    try (Scope scope = span.makeCurrent()) {
      set();
      body.run();
    } finally {
      span.end();
    }
  }
}
