package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoubleExemplarData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.TestSettings;
import io.rollotel.agent.weave.WovenMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The metric of worker calls, as an SDK gets it. */
class CallDurationsTest {

  private static final String SUCCEEDED = "code.function.name=acme.Actor.train";

  private static final SpanContext UNSAMPLED =
      SpanContext.create(
          "0af7651916cd43dd8448eb211c80319c",
          "b7ad6b7169203331",
          TraceFlags.getDefault(),
          TraceState.getDefault());

  private final Ledger ledger = new Ledger();
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final OpenTelemetrySdk sdk =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(spans))
                  .build())
          .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build())
          .build();
  private final Tracers tracers =
      new Tracers(() -> Tracers.Found.of(sdk.getTracer("worker"), sdk), ledger);

  @AfterEach
  void close() {
    sdk.close();
  }

  @Test
  void call_isCountedWithItsSpansDurationAndTrace() {
    end(start(method(true)), null);
    MetricData metric = metric();
    assertThat(metric.getName()).isEqualTo("roll.worker.call.duration");
    assertThat(metric.getUnit()).isEqualTo("s");
    assertThat(metric.getInstrumentationScopeInfo().getName()).isEqualTo("worker");
    HistogramPointData point = metric.getHistogramData().getPoints().iterator().next();
    assertThat(point.getBoundaries()).startsWith(0.01, 0.02).endsWith(120.0, 300.0).hasSize(14);
    SpanData span = span("worker.train");
    assertThat(point.getSum())
        .isEqualTo((span.getEndEpochNanos() - span.getStartEpochNanos()) / 1e9);
    DoubleExemplarData exemplar = point.getExemplars().get(0);
    assertThat(exemplar.getSpanContext().getTraceId()).isEqualTo(span.getTraceId());
    assertThat(exemplar.getSpanContext().getSpanId()).isEqualTo(span.getSpanId());
    assertThat(exemplar.getFilteredAttributes().isEmpty()).isTrue();
  }

  @Test
  void failures_areCountedByTheirTypes() {
    WorkerMethod method = method(true);
    end(start(method), null);
    end(start(method), new IllegalStateException("no gradient"));
    end(start(method), new IllegalStateException("no data"));
    end(start(method), new StackOverflowError());
    end(start(method), new UncheckedIOException(new IOException("expected")));
    assertThat(counts())
        .containsOnly(
            Map.entry(SUCCEEDED, 2L),
            Map.entry(SUCCEEDED + ",error.type=java.lang.IllegalStateException", 2L),
            Map.entry(SUCCEEDED + ",error.type=java.lang.StackOverflowError", 1L));
  }

  @Test
  void errorThatTheMethodSaysItself_isOneOfNoType() {
    WorkerCall call = start(method(true));
    Span.current().setStatus(StatusCode.ERROR, "loss is not a number");
    end(call, null);
    assertThat(counts()).containsOnly(Map.entry(SUCCEEDED + ",error.type=_OTHER", 1L));
  }

  @Test
  void future_isCountedWhenItCompletes() {
    WorkerMethod method = method(true, CompletableFuture.class.getName());
    CompletableFuture<String> future = new CompletableFuture<>();
    start(method).endWith(future, null);
    assertThat(reader.collectAllMetrics()).isEmpty();
    future.completeExceptionally(new IllegalStateException("no gradient"));
    assertThat(counts())
        .containsOnly(Map.entry(SUCCEEDED + ",error.type=java.lang.IllegalStateException", 1L));
  }

  @Test
  void callThatIsNotSampled_isCountedWithoutATrace() {
    try (Scope unsampled = Context.root().with(Span.wrap(UNSAMPLED)).makeCurrent()) {
      end(start(method(true)), null);
    }
    assertThat(spans.getFinishedSpanItems()).isEmpty();
    assertThat(counts()).containsOnly(Map.entry(SUCCEEDED, 1L));
    assertThat(metric().getHistogramData().getPoints())
        .flatExtracting(HistogramPointData::getExemplars)
        .isEmpty();
  }

  @Test
  void suppressedCall_isNotCounted() {
    WorkerMethod method = method(true);
    Object call = method.start(Map.of()); // a payload without a context
    assertThat(call).isInstanceOf(SuppressedCall.class);
    ((SuppressedCall) call).end(null);
    assertThat(reader.collectAllMetrics()).isEmpty();
  }

  @Test
  void callWithoutTheSetting_isNotCounted() {
    end(start(method(false)), null);
    assertThat(spans.getFinishedSpanItems()).hasSize(1);
    assertThat(reader.collectAllMetrics()).isEmpty();
  }

  /** Its span also covers the executor's phases. */
  @Test
  void callFromAnotherProcess_isCountedWithItsWholeSpan() {
    RemoteSpan received = ReceivedCall.start(tracers, "train", "acme.Actor.train", null, 0, null);
    received.phase("prefetch");
    received.phase("");
    end(start(method(true)), new IllegalStateException("no gradient"));
    assertThat(reader.collectAllMetrics()).as("its span is open").isEmpty();
    received.phase("to_remote");
    received.phase("");
    received.end(null);
    assertThat(counts())
        .containsOnly(Map.entry(SUCCEEDED + ",error.type=java.lang.IllegalStateException", 1L));
    SpanData span = span("worker.train");
    assertThat(metric().getHistogramData().getPoints().iterator().next().getSum())
        .isEqualTo((span.getEndEpochNanos() - span.getStartEpochNanos()) / 1e9);
  }

  @Test
  void endOfTracing_isTheEndOfCounting() {
    WorkerMethod method = method(true);
    end(start(method), null);
    WorkerCall open = start(method);
    tracers.end();
    end(open, null);
    assertThat(counts()).containsOnly(Map.entry(SUCCEEDED, 1L));
  }

  private WorkerMethod method(boolean isMeasured) {
    return method(isMeasured, "int");
  }

  private WorkerMethod method(boolean isMeasured, String returnType) {
    return new WorkerMethod(
        tracers,
        new WovenMethod(
            "acme.Actor",
            "train",
            "()V",
            returnType,
            true,
            "worker.train",
            "INTERNAL",
            List.of(UncheckedIOException.class.getName()),
            List.of()),
        TestSettings.of("otel.metrics.exporter=" + (isMeasured ? "otlp" : "none")),
        ledger.entry("acme.Actor", "train", "()V"),
        CallDurationsTest.class.getClassLoader());
  }

  private static WorkerCall start(WorkerMethod method) {
    Object call = method.startWithoutCarrier();
    assertThat(call).isInstanceOf(WorkerCall.class);
    return (WorkerCall) call;
  }

  private static void end(WorkerCall call, @Nullable Throwable thrown) {
    call.end(thrown);
  }

  private SpanData span(String name) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private MetricData metric() {
    return reader.collectAllMetrics().iterator().next();
  }

  /** How many calls there were by their attributes, {@code key=value,…}. */
  private Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (HistogramPointData point : metric().getHistogramData().getPoints()) {
      counts.put(
          point.getAttributes().asMap().entrySet().stream()
              .map(attribute -> attribute.getKey() + "=" + attribute.getValue())
              .collect(Collectors.joining(",")),
          point.getCount());
    }
    return counts;
  }
}
