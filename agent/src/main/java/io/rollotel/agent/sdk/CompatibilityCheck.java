package io.rollotel.agent.sdk;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.exporter.internal.otlp.traces.LowAllocationTraceRequestMarshaler;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.export.SpanExporters;
import io.rollotel.agent.export.TraceRequestEncoder;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.span.ExceptionAttributes;
import io.rollotel.agent.span.OsSeededIdGenerator;
import io.rollotel.agent.span.RecorderSpanProcessor;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.agent.span.Thinning;
import io.rollotel.agent.span.Traceparent;
import io.rollotel.agent.span.WorkerCall;
import io.rollotel.agent.span.WorkerMethodSpan;
import io.rollotel.agent.span.WorkerTracer;
import io.rollotel.telemetry.internal.Propagation;
import io.rollotel.telemetry.internal.Suppression;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tries a span's whole life cycle on this copy of the API, before anything is published. With an
 * incompatible API, everything can be built, but the first span fails, and with it the
 * application's own spans.
 */
final class CompatibilityCheck implements Runnable {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final boolean sdkExports;
  private final Thread thread;
  private volatile @Nullable Throwable failure =
      new IllegalStateException("the trial span took too long");

  /**
   * Runs on a separate thread, because marshalling leaves a thread local behind, by which a pooled
   * thread of the application would hold this copy of the SDK. It does not access the current
   * context: the first access initialises the context's storage, and after that the application can
   * no longer add a wrapper to it.
   *
   * @param settings say whether an exporter of the SDK's may be built later, and has to fit too
   */
  CompatibilityCheck(Settings settings) {
    sdkExports = SpanExporters.mayBeOfTheSdk(settings);
    thread = new Thread(null, this, "roll-otel-trial", 0, false);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    try {
      live(sdkExports);
      failure = null;
    } catch (Throwable t) {
      failure = t;
    }
  }

  /** Waits for the end, and throws an IllegalStateException if the API does not fit. */
  void await() {
    boolean interrupted = false;
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (thread.isAlive() && System.nanoTime() - deadlineNanos < 0) {
      try {
        thread.join(1_000);
      } catch (InterruptedException e) {
        interrupted = true; // the application's interrupt, restored below
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException(thrown.toString(), thrown);
    }
  }

  private static void live(boolean sdkExports) {
    try (SdkTracerProvider provider = SdkTracerProvider.builder().build()) {
      SpanContext remote =
          SpanContext.createFromRemoteParent(
              "0af7651916cd43dd8448eb211c80319c",
              "b7ad6b7169203331",
              TraceFlags.getSampled(),
              TraceState.getDefault());
      Map<String, Object> metaInfo = new HashMap<>();
      Propagation.put(metaInfo, new Bare(Map.of()).with(Span.wrap(remote)));
      Context parent = Propagation.extract(Propagation.carrier(metaInfo), new Bare(Map.of()));
      Span span =
          provider
              .get("trial")
              .spanBuilder("trial")
              .setParent(parent)
              .setSpanKind(SpanKind.INTERNAL)
              .addLink(remote)
              .startSpan();
      if (!Suppression.isSuppressed(Suppression.suppress(parent.with(span)))) {
        throw new IllegalStateException("a context does not keep what it is given");
      }
      span.setAttribute(AttributeKey.stringKey("key"), "value");
      span.recordException(new IllegalStateException("trial"));
      span.setStatus(StatusCode.ERROR);
      span.end();
      SpanData data = ((ReadableSpan) span).toSpanData();
      if (!data.getTraceId().equals(remote.getTraceId())) {
        throw new IllegalStateException("the trial span lost its parent");
      }
      SpanData worker = workerSpan(provider, metaInfo);
      if (!worker.getParentSpanContext().equals(remote)
          || worker.getAttributes().size() != 1
          || !worker.hasEnded()) {
        throw new IllegalStateException("a worker span does not keep what it is given");
      }
      // As over plain HTTP and for the own file.
      new TraceRequestEncoder().of(List.of(data, worker));
      // As autoconfiguration does with the resource.
      Attributes.builder().put("key", "value").removeIf(key -> true).build();
      if (sdkExports) {
        LowAllocationTraceRequestMarshaler exported = new LowAllocationTraceRequestMarshaler();
        exported.initialize(List.of(data, worker));
        exported.writeBinaryTo(new ByteArrayOutputStream());
        // Loads it now: by the time of the first export, the application may have closed its
        // loader.
        MeterProvider.noop().meterBuilder("trial").build();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same with our own span, inside the sender's context. */
  private static SpanData workerSpan(SdkTracerProvider provider, Map<String, Object> metaInfo) {
    WorkerTracer tracer =
        new WorkerTracer(
            provider.get("trial"),
            InstrumentationScopeInfo.create("trial"),
            SpanResource.whole(Resource.empty()),
            provider.getSpanLimits(),
            SpanProcessor.composite(),
            provider.getSampler(),
            Clock.getDefault(),
            OsSeededIdGenerator.create(),
            new Ledger(),
            RecorderSpanProcessor.none(SpanProcessor.composite()),
            new ExceptionAttributes(),
            new Thinning(new Ledger()));
    Traceparent sender = Traceparent.of(metaInfo.get(Propagation.KEY));
    if (sender == null || !tracer.followsParent()) {
      throw new IllegalStateException("a sender is not understood");
    }
    WorkerMethodSpan span =
        WorkerMethodSpan.below(
            new WorkerMethodSpan.Kind(tracer, "trial", SpanKind.INTERNAL, Attributes.empty()),
            sender,
            0);
    span.setAttribute(AttributeKey.stringKey("key"), "value");
    span.recordException(new IllegalStateException("trial"));
    span.setStatus(StatusCode.ERROR);
    WorkerCall.checkKey(span, new Bare(Map.of()));
    span.end();
    return span.toSpanData();
  }

  /** A context without the API's storage. */
  private record Bare(Map<ContextKey<?>, Object> values) implements Context {

    @Override
    @SuppressWarnings("unchecked") // stored with the key's own type
    public <V> @Nullable V get(ContextKey<V> key) {
      return (V) values.get(key);
    }

    @Override
    public <V> Context with(ContextKey<V> key, V value) {
      Map<ContextKey<?>, Object> more = new HashMap<>(values);
      more.put(key, value);
      return new Bare(more);
    }
  }
}
