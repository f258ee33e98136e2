package io.rollotel.it;

import io.rollotel.annotations.Register;
import io.rollotel.telemetry.Run;
import io.rollotel.telemetry.RunStep;
import io.rollotel.telemetry.RunTelemetry;
import java.util.TreeSet;

/** Works on one episode after the other until a signal stops it, with the hook that is named. */
public final class StoppedAgent {

  private static final int STEPS = 4;

  private static volatile boolean isStopped;

  private StoppedAgent() {}

  /** Takes the name of the hook. */
  public static void main(String[] arguments) {
    Thread main = Thread.currentThread();
    Runnable hook =
        switch (arguments[0]) {
          case "drains" -> () -> drain(main);
          case "drains, then halts" ->
              () -> {
                drain(main);
                Runtime.getRuntime().halt(7);
              };
          case "names threads" -> StoppedAgent::nameThreads;
          case "throws" ->
              () -> {
                drain(main);
                throw new IllegalStateException("of the hook");
              };
          default -> null;
        };
    if (hook != null) {
      Runtime.getRuntime().addShutdownHook(new Thread(hook, "hook"));
    }
    RunTelemetry runs = RunTelemetry.fromEnvironment();
    int completed = 0;
    while (!isStopped) {
      try (Run run = runs.runStarted("ep" + completed, "task", "here")) {
        for (int i = 1; i <= STEPS; i++) {
          try (RunStep step = run.step(i, "act")) {
            tool();
            step.reward(0.5).success();
          }
        }
        run.end(true, null, null);
        completed++;
      }
      if (completed == 2) {
        System.out.println("= ready");
      }
    }
    System.out.println("completed " + completed);
  }

  private static void drain(Thread main) {
    isStopped = true;
    try {
      main.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Those that a hook would wait for which waits for all but the daemons. */
  private static void nameThreads() {
    TreeSet<String> names = new TreeSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (!thread.isDaemon()) {
        names.add(thread.getName());
      }
    }
    names.removeIf(name -> !name.startsWith("roll-otel"));
    System.out.println("threads " + names);
  }

  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier") // it is called in its step
  private static void tool() {
    try {
      Thread.sleep(30);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
