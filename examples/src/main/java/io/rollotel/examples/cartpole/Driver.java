package io.rollotel.examples.cartpole;

import io.opentelemetry.api.trace.Tracer;
import io.rollotel.telemetry.Telemetry;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.util.Locale;
import java.util.concurrent.CompletionException;

/**
 * The driver: starts the workers, runs the pipeline steps, and shuts everything down.
 *
 * <p>Without the roll-otel agent the telemetry calls do nothing and the training is the same.
 */
final class Driver {
  private static final int PROGRESS_INTERVAL_STEPS = 5;

  private Driver() {}

  public static void main(String[] args) throws InterruptedException {
    System.exit(run(Options.ofMain(args)));
  }

  private static int run(Options options) throws InterruptedException {
    Telemetry.init("driver");
    // Before the workers start: the first JVM that asks for a tracer is the collector's host.
    Tracer tracer = Telemetry.tracer("roll");
    try (Writer returns = returnsWriter(options);
        Cluster cluster = Cluster.start("actor", options)) {
      Training training = new Training(cluster.workers(), options.seed(), tracer);
      try {
        train(options.steps(), training, returns);
        return 0;
      } catch (CompletionException e) {
        // Asked before the cluster is closed: after that every worker has exited.
        System.err.println("training failed: " + cluster.obituary().orElse(e.getMessage()));
        return 1;
      }
    } catch (IOException | IllegalStateException e) {
      System.err.println("training failed: " + e.getMessage());
      return 1;
    } finally {
      // After the workers are gone: their last spans arrive while they exit.
      Telemetry.shutdown();
    }
  }

  static void train(int steps, Training training, Writer returns) throws IOException {
    long startNanos = System.nanoTime();
    double firstReturn = 0;
    double lastReturn = 0;
    for (int step = 1; step <= steps; step++) {
      Training.StepResult result = training.step(step);
      lastReturn = result.meanReturn();
      if (step == 1) {
        firstReturn = lastReturn;
      }
      returns.write(lastReturn + "\n");
      if (step == 1 || step % PROGRESS_INTERVAL_STEPS == 0 || step == steps) {
        System.out.printf(
            Locale.ROOT,
            "step %3d/%d  mean return %6.1f  %6.1f s%s%n",
            step,
            steps,
            lastReturn,
            (System.nanoTime() - startNanos) / 1e9,
            result.validationReturn().isPresent()
                ? "  validation %6.1f".formatted(result.validationReturn().getAsDouble())
                : "");
      }
    }
    System.out.printf(Locale.ROOT, "mean return: first %.1f, last %.1f%n", firstReturn, lastReturn);
  }

  static Writer returnsWriter(Options options) throws IOException {
    if (options.returns() == null) {
      return Writer.nullWriter();
    }
    try {
      return Files.newBufferedWriter(options.returns());
    } catch (IOException e) {
      throw new IOException("cannot write the returns to " + options.returns(), e);
    }
  }
}
