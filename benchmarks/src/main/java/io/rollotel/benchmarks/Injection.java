package io.rollotel.benchmarks;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the sender pays inside a span, for the same headers; woven, the send time is among them. */
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
public class Injection {

  private final Map<String, Object> metaInfo = new HashMap<>();
  private final Span span =
      GlobalOpenTelemetry.getTracer("sender").spanBuilder("pipeline_step").startSpan();

  /** For JMH. */
  public Injection() {}

  /** By the agent. */
  @Benchmark
  public int woven() {
    try (Scope scope = span.makeCurrent()) {
      return send(metaInfo);
    }
  }

  /** By hand. */
  @Benchmark
  public int byHand() {
    try (Scope scope = span.makeCurrent()) {
      Map<String, String> carrier = new HashMap<>();
      W3CTraceContextPropagator.getInstance().inject(Context.current(), carrier, Map::put);
      carrier.put("roll.sent_at", Long.toString(System.currentTimeMillis() * 1_000_000));
      metaInfo.put("_otel_ctx", carrier);
      return metaInfo.size();
    }
  }

  @Dispatch
  private int send(@MetaInfo Map<String, Object> payload) {
    return payload.size();
  }
}
