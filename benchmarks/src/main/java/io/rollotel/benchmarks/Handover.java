package io.rollotel.benchmarks;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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
 * What a task pays for the context that it takes along: made and run on one thread, since the way
 * to another costs many times as much and varies more. Inside a span, without one, wrapped by hand,
 * and without the weaving.
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
public class Handover {

  private static final String OFF = "-Droll.otel.threads=off";

  private Span span = Span.getInvalid();
  private int value = 17;

  /** For JMH. */
  public Handover() {}

  /** Starts the agent's tracing, and with it the weaving of the JDK's classes. */
  @Setup
  public void setUp() {
    Tracer tracer = GlobalOpenTelemetry.getTracer("benchmark");
    span = tracer.spanBuilder("sender").startSpan();
  }

  /** The agent passes the context on. */
  @Benchmark
  public int followed() throws Exception {
    try (Scope scope = span.makeCurrent()) {
      return run(this::work);
    }
  }

  /** Nothing is current, so nothing is passed on. */
  @Benchmark
  public int nothingToFollow() throws Exception {
    return run(this::work);
  }

  /** By hand, as without an agent. */
  @Benchmark
  @Fork(
      value = 3,
      jvmArgsAppend = {
        "-javaagent:../agent/target/roll-otel-agent.jar",
        "-Droll.otel.enabled=true",
        OFF,
        "-Xms1g",
        "-Xmx1g",
        "-XX:+UseSerialGC"
      })
  public int wrappedByHand() throws Exception {
    try (Scope scope = span.makeCurrent()) {
      return run(Context.current().wrap(this::work));
    }
  }

  /** The task alone. */
  @Benchmark
  @Fork(
      value = 3,
      jvmArgsAppend = {
        "-javaagent:../agent/target/roll-otel-agent.jar",
        "-Droll.otel.enabled=true",
        OFF,
        "-Xms1g",
        "-Xmx1g",
        "-XX:+UseSerialGC"
      })
  public int unwoven() throws Exception {
    return run(this::work);
  }

  private int work() {
    return value++;
  }

  private static int run(Callable<Integer> work) throws Exception {
    FutureTask<Integer> task = new FutureTask<>(work);
    task.run();
    return task.get();
  }
}
