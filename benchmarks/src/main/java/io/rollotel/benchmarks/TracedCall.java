package io.rollotel.benchmarks;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One call with a carrier in its payload: woven, by hand with the SDK, and without tracing. All
 * spans go through one SDK whose processor does nothing, so that what differs is the call itself.
 */
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {
      "-javaagent:../agent/target/roll-otel-agent.jar",
      "-Droll.otel.enabled=true",
      "-Xms1g",
      "-Xmx1g",
      "-XX:+UseSerialGC"
    })
public class TracedCall {

  /** As many distinct carriers as no cache of one would serve. */
  private static final int CARRIERS = 4096;

  private final List<Map<String, Object>> payloads = new ArrayList<>();
  private final float[] data = new float[64];
  private Tracer tracer = GlobalOpenTelemetry.getTracer("worker");
  private int next;

  /** For JMH. */
  public TracedCall() {}

  /** Sets the SDK that all go through. */
  @Setup
  public void setUp() {
    GlobalOpenTelemetry.set(
        OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(new Nothing()).build())
            .build());
    tracer = GlobalOpenTelemetry.getTracer("worker");
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < CARRIERS; i++) {
      String traceparent =
          String.format(
              "00-%016x%016x-%016x-01",
              random.nextLong() | 1, random.nextLong(), random.nextLong() | 1);
      Map<String, Object> metaInfo = new HashMap<>();
      metaInfo.put("_otel_ctx", new HashMap<>(Map.of("traceparent", traceparent)));
      payloads.add(metaInfo);
    }
  }

  /** The body alone. */
  @Benchmark
  public float untraced() {
    return work(payload().size());
  }

  /** The agent's weaving. */
  @Benchmark
  public float woven() {
    return train(payload());
  }

  /** The agent's weaving, where the payload brings no context. */
  @Benchmark
  public float wovenSuppressed() {
    return train(Map.of());
  }

  /** What a careful engineer writes by hand: extract, start, make current, end. */
  @Benchmark
  @SuppressWarnings("unchecked") // as in a program that trusts its payload
  public float byHand() {
    Map<String, Object> metaInfo = payload();
    Context parent = Context.current();
    if (metaInfo.get("_otel_ctx") instanceof Map<?, ?> carrier) {
      parent =
          W3CTraceContextPropagator.getInstance()
              .extract(parent, (Map<String, String>) carrier, Headers.GETTER);
    }
    Span span = tracer.spanBuilder("worker.train").setParent(parent).startSpan();
    try (Scope scope = parent.with(span).makeCurrent()) {
      return work(metaInfo.size());
    } catch (RuntimeException e) {
      span.setStatus(StatusCode.ERROR);
      span.recordException(e);
      throw e;
    } finally {
      span.end();
    }
  }

  @Register(trace = true)
  private float train(@MetaInfo Map<String, Object> metaInfo) {
    return work(metaInfo.size());
  }

  private float work(int step) {
    float sum = step;
    for (float value : data) {
      sum += value * 0.5f;
    }
    return sum;
  }

  private Map<String, Object> payload() {
    next = (next + 1) & (CARRIERS - 1);
    return payloads.get(next);
  }

  private enum Headers implements TextMapGetter<Map<String, String>> {
    GETTER;

    @Override
    public Iterable<String> keys(Map<String, String> carrier) {
      return carrier.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
      return carrier == null ? null : carrier.get(key);
    }
  }

  private static final class Nothing implements SpanProcessor {
    @Override
    public void onStart(Context parentContext, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
      return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }
}
