package io.rollotel.benchmarks;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The call of {@link TracedCall} in a JVM that was started without the agent, to which it was never
 * attached, is attached, or was attached, traced a while and was detached again.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {"-XX:+EnableDynamicAgentLoading", "-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"})
public class AttachedCall {

  /** Enough for the JIT compiler to finish before the agent arrives. */
  private static final int CALLS = 200_000;

  private final TracedCall call = new TracedCall();

  /** What happened to this JVM before. */
  @Param({"never", "attached", "detached"})
  private String agent = "";

  /** For JMH. */
  public AttachedCall() {}

  /** Attaches and detaches. */
  @Setup
  public void setUp() throws IOException, InterruptedException {
    TracedCall.setApplicationSdk();
    warmUp();
    if (!agent.equals("never")) {
      command("attach");
      warmUp();
    }
    if (agent.equals("detached")) {
      command("detach");
      warmUp();
    }
  }

  /** Woven or not. */
  @Benchmark
  public float call() {
    return call.woven();
  }

  private void warmUp() {
    for (int i = 0; i < CALLS; i++) {
      call.woven();
    }
  }

  private static void command(String what) throws IOException, InterruptedException {
    String java =
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    String pid = Long.toString(ProcessHandle.current().pid());
    int exitCode =
        new ProcessBuilder(List.of(java, "-jar", "../agent/target/roll-otel-agent.jar", what, pid))
            .inheritIO()
            .start()
            .waitFor();
    if (exitCode != 0) {
      throw new IllegalStateException(what + " failed");
    }
  }
}
