package io.rollotel.benchmarks;

import io.rollotel.annotations.Register;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A driver that makes one span and waits until its collector has written it: see {@code
 * benchmarks/start}.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class FirstSpan {

  private FirstSpan() {}

  /**
   * Prints three numbers of milliseconds until the span is in the file, which is when it is
   * acknowledged: since the collector began, which is when it opens the file, since the span's call
   * began, and since the process was started.
   *
   * @param arguments the traces file, and when the process was started, in nanoseconds of the epoch
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path file = Path.of(arguments[0]);
    long startedMillis = TimeUnit.NANOSECONDS.toMillis(Long.parseLong(arguments[1]));
    long beginNanos = System.nanoTime();
    train();
    while (!Files.exists(file)) {
      Thread.sleep(1);
    }
    long collectorNanos = System.nanoTime();
    while (Files.size(file) == 0) {
      Thread.sleep(1);
    }
    long endNanos = System.nanoTime();
    System.out.println(
        TimeUnit.NANOSECONDS.toMillis(endNanos - collectorNanos)
            + " "
            + TimeUnit.NANOSECONDS.toMillis(endNanos - beginNanos)
            + " "
            + (System.currentTimeMillis() - startedMillis));
  }

  @Register(trace = true)
  private static void train() {}
}
