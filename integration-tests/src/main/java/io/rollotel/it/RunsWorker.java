package io.rollotel.it;

import io.rollotel.annotations.Register;
import io.rollotel.telemetry.Run;
import io.rollotel.telemetry.RunStep;
import io.rollotel.telemetry.RunTelemetry;
import io.rollotel.telemetry.TraceCorrelation;
import io.rollotel.telemetry.WorkerSpan;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs, steps, records, and what a worker knows. The code does not refer to OpenTelemetry, so it
 * runs without it.
 */
public final class RunsWorker {

  private RunsWorker() {}

  /** Prints what each call gave. */
  public static void main(String[] arguments) {
    RunTelemetry runs = RunTelemetry.fromEnvironment();
    System.out.println("status " + runs.status().toMap());
    Run run = runs.runStarted("r1", "🧩".repeat(400) + "t".repeat(200), "puzzle", 10, "astar");
    System.out.println("trace " + run.traceId().orElse("none"));
    try (RunStep step = run.step(1, "run_python")) {
      step.code("c".repeat(1_200)).output("o".repeat(999) + "😀😀").reward(0.5).success();
      work(0.5);
      System.out.println("record " + record());
      System.out.println("link " + TraceCorrelation.link().orElse("none"));
    }
    try (RunStep step = runs.step("r1", 2, null)) {
      step.reward(-0.25).error("e".repeat(300));
    }
    try (RunStep step = run.step(3, "submit")) {
      step.reward(1.25).success();
    }
    System.out.println("outside " + record());
    runs.runEnded("r1", true, "a".repeat(1_100), "/runs/r1");
    try (Run failed = runs.runStarted("r2", "fails", "puzzle", 1, null)) {
      failed.fail("f".repeat(300));
    }
    Run unended = runs.runStarted("r3", "never ends", "maze");
    RunStep open = unended.step(1, "wait").reward(0.125);
    System.out.println("open " + (open != null));
    System.out.println("ignored " + runs.ignored());
  }

  private static Map<String, Object> record() {
    return TraceCorrelation.stamp(new TreeMap<>(Map.of("episode", (Object) 1)));
  }

  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier") // it is called in its step
  private static void work(double reward) {
    WorkerSpan.current().set("reward", reward).set("tries", 3);
  }
}
