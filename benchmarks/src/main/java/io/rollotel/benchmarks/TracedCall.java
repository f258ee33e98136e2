package io.rollotel.benchmarks;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One call, woven and by hand, in each situation that a call can be in. Woven calls go through the
 * agent's SDK, those by hand through one of their own; no exporter and no queue stands behind
 * either, so that what differs is the call itself. Both extract the context of the payload, which
 * is another with each call, and set the same attributes.
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
      "-Dotel.traces.exporter=none",
      "-Xms1g",
      "-Xmx1g",
      "-XX:+UseSerialGC"
    })
public class TracedCall {

  /** As many distinct carriers as no cache of one would serve. */
  private static final int CARRIERS = 4096;

  private static final AttributeKey<String> FUNCTION = AttributeKey.stringKey("code.function.name");
  private static final AttributeKey<String> MODEL = AttributeKey.stringKey("model");
  private static final AttributeKey<Long> STEP = AttributeKey.longKey("step");

  private final Map<String, Object>[] sampled = payloads("01");
  private final Map<String, Object>[] unsampled = payloads("00");
  private final float[] data = new float[64];
  private final CompletableFuture<Float> completed = CompletableFuture.completedFuture(1f);
  private final Tracer tracer = sdk().getTracer("worker");
  private int next;

  /** For JMH. */
  public TracedCall() {}

  private static OpenTelemetrySdk sdk() {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(new Nothing()).build())
        .build();
  }

  /** As if the application had set an SDK: woven calls go through that. */
  static void setApplicationSdk() {
    GlobalOpenTelemetry.set(sdk());
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // no arrays of generic types
  private static Map<String, Object>[] payloads(String flags) {
    SplittableRandom random = new SplittableRandom(7);
    Map[] payloads = new Map[CARRIERS];
    for (int i = 0; i < CARRIERS; i++) {
      String traceparent =
          String.format(
              "00-%016x%016x-%016x-%s",
              random.nextLong() | 1, random.nextLong(), random.nextLong() | 1, flags);
      payloads[i] = new HashMap<>();
      payloads[i].put("_otel_ctx", new HashMap<>(Map.of("traceparent", traceparent)));
    }
    return payloads;
  }

  /** The body alone. */
  @Benchmark
  public float untraced() {
    return work(payload(sampled).size());
  }

  /** With a carrier. */
  @Benchmark
  public float woven() {
    return train(payload(sampled));
  }

  /** What a careful engineer writes by hand: extract, start, make current, end. */
  @Benchmark
  public float byHand() {
    return trainByHand(payload(sampled));
  }

  /** Woven, in a JVM where tracing is not enabled. */
  @Benchmark
  @Fork(
      value = 3,
      jvmArgsAppend = {
        "-javaagent:../agent/target/roll-otel-agent.jar",
        "-Xms1g",
        "-Xmx1g",
        "-XX:+UseSerialGC"
      })
  public float wovenDisabled() {
    return train(payload(sampled));
  }

  /** A payload that brings no context. */
  @Benchmark
  public float wovenSuppressed() {
    return train(Map.of());
  }

  /** The body of {@link #wovenSuppressed} alone. */
  @Benchmark
  public float untracedSuppressed() {
    return work(Map.of().size());
  }

  /** A sender that is not sampled. */
  @Benchmark
  public float wovenSampledOut() {
    return train(payload(unsampled));
  }

  /** A sender that is not sampled. */
  @Benchmark
  public float byHandSampledOut() {
    return trainByHand(payload(unsampled));
  }

  /** A method without a carrier, called where nothing is current. */
  @Benchmark
  public float wovenRoot() {
    return step();
  }

  /** A method without a carrier, called where nothing is current. */
  @Benchmark
  public float byHandRoot() {
    return inside(span("worker.step", Context.current()), Context.current());
  }

  /** A method without a carrier inside one with a carrier: two spans. */
  @Benchmark
  public float wovenChild() {
    return outer(payload(sampled));
  }

  /** Two spans. */
  @Benchmark
  public float byHandChild() {
    Context parent = SenderContext.extract(payload(sampled));
    Span span = span("worker.outer", parent);
    try (Scope scope = parent.with(span).makeCurrent()) {
      return byHandRoot();
    } finally {
      span.end();
    }
  }

  /** With two arguments as attributes. */
  @Benchmark
  public float wovenAttributes() {
    return train(payload(sampled), "small", next);
  }

  /** With two attributes more. */
  @Benchmark
  public float byHandAttributes() {
    Context parent = SenderContext.extract(payload(sampled));
    Span span = span("worker.train", parent);
    span.setAttribute(MODEL, "small");
    span.setAttribute(STEP, (long) next);
    return inside(span, parent);
  }

  /** A method that returns a future, which has completed already. */
  @Benchmark
  public CompletableFuture<Float> wovenFuture() {
    return trainLater(payload(sampled));
  }

  /** The end in the future's listener. */
  @Benchmark
  @SuppressWarnings("FutureReturnValueIgnored") // the future itself is returned, as it should be
  public CompletableFuture<Float> byHandFuture() {
    Context parent = SenderContext.extract(payload(sampled));
    Span span = span("worker.trainLater", parent);
    try (Scope scope = parent.with(span).makeCurrent()) {
      work(1);
      completed.whenComplete(
          (value, thrown) -> {
            if (thrown != null) {
              span.setStatus(StatusCode.ERROR);
              span.recordException(thrown);
            }
            span.end();
          });
      return completed;
    }
  }

  @Register(trace = true)
  private float train(@MetaInfo Map<String, Object> metaInfo) {
    return work(metaInfo.size());
  }

  @Register(trace = true, name = "train.attributes")
  private float train(
      @MetaInfo Map<String, Object> metaInfo,
      @SpanAttribute("model") String model,
      @SpanAttribute("step") int step) {
    return work(metaInfo.size() + model.length() + step);
  }

  @Register(trace = true)
  private CompletableFuture<Float> trainLater(@MetaInfo Map<String, Object> metaInfo) {
    work(metaInfo.size());
    return completed;
  }

  @Register(trace = true)
  private float outer(@MetaInfo Map<String, Object> metaInfo) {
    return metaInfo.size() + step();
  }

  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier") // which the benchmark measures
  private float step() {
    return work(1);
  }

  private float trainByHand(Map<String, Object> metaInfo) {
    Context parent = SenderContext.extract(metaInfo);
    return inside(span("worker.train", parent), parent);
  }

  private Span span(String name, Context parent) {
    return tracer
        .spanBuilder(name)
        .setParent(parent)
        .setAttribute(FUNCTION, "io.rollotel.benchmarks.TracedCall.train")
        .startSpan();
  }

  private float inside(Span span, Context parent) {
    try (Scope scope = parent.with(span).makeCurrent()) {
      return work(1);
    } catch (RuntimeException e) {
      span.setStatus(StatusCode.ERROR);
      span.recordException(e);
      throw e;
    } finally {
      span.end();
    }
  }

  private float work(int step) {
    float sum = step;
    for (float value : data) {
      sum += value * 0.5f;
    }
    return sum;
  }

  private Map<String, Object> payload(Map<String, Object>[] payloads) {
    next = (next + 1) & (CARRIERS - 1);
    return payloads[next];
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
      return false;
    }
  }
}
